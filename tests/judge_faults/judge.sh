#!/bin/sh
# A judge that misbehaves. It does what the name says under which it is linked. Beside that name it writes the numbers of
# its processes to `pids`, one a line; `reply` there is what the well-behaved part of it says.
fault=${0##*/}
here=${0%/*}
echo $$ >>"$here/pids"

case $fault in
answers) cat "$here/reply" ;;
tells-where) pwd >"$here/where" && cat "$here/reply" ;;
answers-unasked) exec <&- && cat "$here/reply" ;;
exits-1) echo 'no model for you' >&2 && exit 1 ;;
is-killed) kill -s SEGV $$ ;;
prints-nothing) ;;
floods) cat /dev/zero ;;
prints-10-MB) head -c 10000000 /dev/zero ;;
prints-invalid-UTF-8) printf '{"new_proposal":true,"verification_reported":false,"reason":"\377"}' ;;
prints-half) printf '{"new_proposal":true,"verification_reported":false,"rea' ;;
prints-two) cat "$here/reply" && echo '{"new_proposal":false}' ;;
sleeps) sleep 60 ;;
ignores-signals)
  trap '' HUP INT QUIT TERM
  while :; do sleep 1; done
  ;;
dribbles) while :; do
  printf ' '
  sleep 0.1
done ;;
closes-and-sleeps)
  exec <&- >&- 2>&-
  sleep 60
  ;;
forks-and-sleeps)
  sleep 60 &
  echo $! >>"$here/pids"
  sleep 60
  ;;
forks-and-answers)
  sleep 60 &
  echo $! >>"$here/pids"
  cat "$here/reply"
  ;;
forks-and-fails)
  (trap '' TERM && sleep 60) &
  echo $! >>"$here/pids"
  exit 1
  ;;
*) echo "no fault $fault" >&2 && exit 99 ;;
esac
