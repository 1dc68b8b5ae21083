"""A client in a terminal, and what a user sees there.

The screen understands the control sequences that the clients redraw with and nothing more: cursor movement, erasing,
scrolling. Colours are dropped; every character is taken to be one cell wide.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from types import TracebackType

from sandbox import Sandbox

HEIGHT, WIDTH = 50, 140
SEQUENCE = re.compile(
    r"\x1b\[([0-9;?<>=]*)([ -/]*[@-~])|\x1b[\]P_].*?(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]", re.DOTALL
)
UNFINISHED = re.compile(r"\x1b(?:[\[\]P_][^\x07]*)?\Z", re.DOTALL)


class Screen:
    """The visible rows, and above them those that have scrolled out."""

    def __init__(self) -> None:
        self.scrolled: list[str] = []
        self.rows = [[" "] * WIDTH for _ in range(HEIGHT)]
        self.row = self.column = 0
        self.pending = ""

    @property
    def text(self) -> str:
        return "\n".join([*self.scrolled, *("".join(row).rstrip() for row in self.rows)]).strip()

    @property
    def words(self) -> str:
        """The text with every run of white space as one space, however lines were wrapped."""
        return " ".join(self.text.split())

    def feed(self, output: str) -> None:
        output = self.pending + output
        at = 0
        while at < len(output):
            if found := SEQUENCE.match(output, at):
                if found[2]:
                    self.control(found[2], found[1])
                at = found.end()
            elif output[at] == "\x1b" and UNFINISHED.match(output, at):
                break
            else:
                self.put(output[at])
                at += 1
        self.pending = output[at:]

    def put(self, character: str) -> None:
        if character == "\n":
            self.line_feed()
        elif character == "\r":
            self.column = 0
        elif character == "\b":
            self.column = max(self.column - 1, 0)
        elif character >= " ":
            if self.column == WIDTH:
                self.column = 0
                self.line_feed()
            self.rows[self.row][self.column] = character
            self.column += 1

    def line_feed(self) -> None:
        if self.row < HEIGHT - 1:
            self.row += 1
            return
        self.scrolled.append("".join(self.rows.pop(0)).rstrip())
        self.rows.append([" "] * WIDTH)

    def control(self, final: str, parameters: str) -> None:
        numbers = [int(word) if word.isdigit() else 0 for word in parameters.split(";")]
        count = max(numbers[0], 1)
        match final:
            case "A":
                self.row = max(self.row - count, 0)
            case "B":
                self.row = min(self.row + count, HEIGHT - 1)
            case "C":
                self.column = min(self.column + count, WIDTH - 1)
            case "D":
                self.column = max(self.column - count, 0)
            case "G":
                self.column = min(count, WIDTH) - 1
            case "d":
                self.row = min(count, HEIGHT) - 1
            case "H":
                self.row = min(count, HEIGHT) - 1
                self.column = min(max(numbers[1], 1), WIDTH) - 1 if len(numbers) > 1 else 0
            case "J":
                self.erase_display(numbers[0])
            case "K":
                self.erase_line(numbers[0])

    def erase_line(self, part: int) -> None:
        start, end = ((self.column, WIDTH), (0, self.column + 1), (0, WIDTH))[min(part, 2)]
        self.rows[self.row][start:end] = [" "] * (end - start)

    def erase_display(self, part: int) -> None:
        self.erase_line(part)
        above, below = range(self.row), range(self.row + 1, HEIGHT)
        for row in (below, above, range(HEIGHT))[min(part, 2)]:
            self.rows[row] = [" "] * WIDTH


class Terminal:
    """A program on a terminal of its own; ended with the `with` block."""

    def __init__(self, sandbox: Sandbox, *command: str) -> None:
        self.screen = Screen()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(sandbox.project)
            os.execvpe(command[0], command, {**sandbox.env, "TERM": "xterm-256color"})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())
        self.settle()

    def enter(self) -> None:
        self.type("\r")

    def settle(self, quiet_s: float = 0.3) -> None:
        """Reads until nothing has come for a while."""
        while self.read(quiet_s):
            pass

    def wait_for(self, words: str, limit_s: float = 20) -> None:
        """Reads until the words stand on the screen."""
        end = time.monotonic() + limit_s
        while words not in self.screen.words:
            if time.monotonic() > end:
                raise AssertionError(f"{words!r} did not appear on:\n{self.screen.text}")
            self.read(0.1)

    def read(self, patience_s: float) -> bool:
        ready, _, _ = select.select([self.fd], [], [], patience_s)
        if not ready:
            return False
        try:
            output = os.read(self.fd, 1 << 16)
        except OSError:  # how Linux says that the program has ended
            return False
        self.screen.feed(output.decode(errors="replace"))
        return bool(output)
