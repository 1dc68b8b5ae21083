//! Tells a program's options from its operands, and both from what a table asks for.

use super::words::Word;

/// Options that take the next word as their value, by program.
const VALUED: &[(&str, &str)] = &[
    (
        "git|hub",
        "-C -c --git-dir --work-tree --namespace --config-env -m --message -F --file -o --push-option \
         -t --template --author --date --trailer --fixup --reuse-message --reedit-message --cleanup \
         --pathspec-from-file --repo --receive-pack --recurse-submodules -X --strategy \
         --strategy-option --local-user",
    ),
    (
        "hg|sl|jj|svn",
        "-m --message -F --file -l --logfile -u --user -d --date -R --repository --cwd --config --username",
    ),
    (
        "gh|glab",
        "-R --repo -t --title -b --body -F --body-file -B --base -H --head -a --assignee -l --label -m \
         --milestone -p --project -r --reviewer -T --template --subject -n --notes --notes-file --target \
         --description -X --method -f --field --raw-field --header --input -q --jq",
    ),
    (
        "npm",
        "--prefix -C -w --workspace --tag --access --otp --registry --userconfig -p --package",
    ),
    (
        "pnpm|yarn|bun",
        "-C --dir --filter -F --cwd --tag --access --otp --registry --package",
    ),
    ("npx|bunx|uvx|pnpx", "-p --package --from --with --python"),
    ("cargo", "--config -Z -C --color"),
    (
        "uv|poetry|pipenv|pdm|rye|hatch|flit|maturin",
        "--directory --project -C -P -p --config-file --with --from --extra --group --env-file --python",
    ),
    (
        "pipx|conda|op|doppler|dotenvx|infisical",
        "-n -p -c -e --name --env-file --config --project",
    ),
    (
        "mvn|mvnw|gradle|gradlew",
        "-f -p -P -pl -x --exclude-task --task",
    ),
    ("goreleaser|helmfile", "-f -e -l"),
    (
        "docker|podman|nerdctl|docker-compose",
        "-H --host --context --config --log-level -e -v -w -u -p -l -h -m -c -f --env --env-file \
         --volume --workdir --user --publish --label --hostname --memory --name --network --net --mount \
         --entrypoint --platform --add-host --cpus --gpus --shm-size --pull --restart --device --tmpfs \
         --volumes-from --detach-keys -o --output --set --file --builder --build-arg --project-name --profile",
    ),
    (
        "helm",
        "-n --namespace --kube-context --kubeconfig --version -f --values",
    ),
    (
        "kubectl|oc",
        "-n --namespace --context --cluster --user --kubeconfig -s --server -f --filename -l \
         --selector -c --container",
    ),
    ("pulumi", "-C --cwd -s --stack"),
    (
        "aws",
        "--profile --region --output --endpoint-url --exclude --include --acl",
    ),
    (
        "gcloud|gsutil",
        "--project --account --region --zone --configuration -h -o",
    ),
    ("az", "-g --resource-group -n --name --subscription"),
    (
        "vercel|vc",
        "--cwd -S --scope -t --token -A --local-config -e --env -b --build-env -m --meta --name \
         --target",
    ),
    (
        "fly|flyctl|wrangler|firebase|serverless|sls|cdk|aws-cdk|heroku",
        "-a --app -c --config -s --stage --profile --context -P --project -r --remote",
    ),
    (
        "ansible|ansible-playbook",
        "-i --inventory -m --module-name -a --args -u --user -e --extra-vars -f --forks -l --limit -t \
         --tags --skip-tags --become-user",
    ),
    (
        "ssh|autossh|mosh|sftp",
        "-p -i -l -o -F -J -L -R -D -W -b -c -E -e -I -m -O -Q -S -w -B",
    ),
    ("scp", "-P -i -l -o -F -J -c -S -D -X"),
    (
        "rsync",
        "-e --rsh -f --filter --exclude --include --files-from --exclude-from --include-from --log-file -M \
         --remote-option --rsync-path -B --block-size -T --temp-dir --chmod --chown --port --timeout \
         --bwlimit --password-file --backup-dir --suffix --max-size --min-size --out-format --info \
         --compare-dest --copy-dest --link-dest --partial-dir --max-delete --sockopts --address",
    ),
    (
        "sh|bash|zsh|dash|ksh|ash|fish|rbash",
        "-o -O --rcfile --init-file",
    ),
    ("python|pypy|py", "-W -X"),
    (
        "node|tsx|ts-node",
        "-r --require --env-file --env-file-if-exists --import --loader -C --conditions --tsconfig --project",
    ),
    (
        "turbo|nx|lerna",
        "--filter -F --scope --ignore -p --projects --exclude -c --configuration",
    ),
    (
        "buildctl",
        "--addr --frontend --local --opt -o --output --secret --ssh",
    ),
    (
        "rake|fab|fastlane",
        "-f -r -R -I -H -i -c --collection --env",
    ),
    (
        "rclone",
        "--transfers --checkers --config --bwlimit --include --exclude --filter --max-age --min-age",
    ),
    ("watch", "-n --interval"),
    ("su|runuser|sg", "-s --shell -g -u --user"),
    ("flock", "-w -E"),
    ("env", "-u --unset -C --chdir"),
    (
        "sudo|doas",
        "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot",
    ),
    ("exec", "-a"),
    ("time", "-f -o"),
    ("nice|ionice", "-n -c -p --adjustment"),
    ("timeout|gtimeout", "-k -s --kill-after --signal"),
    ("stdbuf", "-i -o -e"),
    ("strace|ltrace", "-e -o -p -s"),
    (
        "xargs",
        "-I -J -n -P -L -R -d -E -s -a --max-args --max-procs --max-lines --delimiter --arg-file",
    ),
    (
        "parallel",
        "-j --jobs -a --arg-file -S --sshlogin --joblog --colsep -C -I --delay --timeout",
    ),
    ("ssh-agent", "-a -t -E -P -O"),
    ("sshpass", "-p -f -d -P"),
    (
        "xvfb-run",
        "-n -s -e -f -p -w --server-num --server-args --error-file",
    ),
    (
        "systemd-run|systemd-inhibit|systemd-cat",
        "-u --unit -p --property -E --setenv -M -H --uid --gid --slice --working-directory --description \
         --what --who --why --mode -t --identifier",
    ),
    ("proxychains|proxychains4", "-f"),
    ("tmux", "-s -n -t -c -e -x -y -F -p -L -S -f"),
    ("screen", "-S -c -e -h -p -r -R -s -t -x -T"),
    ("nsenter", "-t -S -G --target --setuid --setgid"),
    ("dotenv|env-cmd", "-e -f -v --file"),
    ("numactl", "-C -N -m -i -p"),
    ("concurrently", "-n --names -c --prefix-colors -p --prefix"),
];

/// The options of `program` that take the next word with them.
pub(super) fn valued(program: &str) -> &'static str {
    let row = VALUED.iter().find(|(names, _)| is_called(names, program));
    row.map_or("", |(_, options)| options)
}

/// One argument, as the program would take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument<'a> {
    /// With the next word, where the option takes it.
    Option(&'a str, Option<&'a str>),
    Operand(&'a str),
}

impl<'a> Argument<'a> {
    pub fn option(self) -> Option<&'a str> {
        match self {
            Self::Option(option, _) => Some(option),
            Self::Operand(_) => None,
        }
    }
}

/// The arguments in `words`, one after the other. An option named in `valued` takes the next word with it.
#[derive(Debug, Clone)]
pub(super) struct Arguments<'a> {
    pub words: &'a [Word],
    valued: &'a str,
    operands_only: bool,
}

impl<'a> Arguments<'a> {
    pub fn new(words: &'a [Word], valued: &'a str) -> Self {
        Self {
            words,
            valued,
            operands_only: false,
        }
    }

    /// What follows are operands, whatever they look like.
    pub fn end_options(&mut self) {
        self.operands_only = true;
    }

    /// The words from the next operand on.
    pub fn take_operands(&mut self) -> &'a [Word] {
        loop {
            let words = self.words;
            match self.next() {
                Some(Argument::Option(..)) => {}
                // `--` was taken with the operand behind it.
                Some(Argument::Operand(_)) => {
                    return words
                        .get(words.len() - self.words.len() - 1..)
                        .unwrap_or_default();
                }
                None => return &[],
            }
        }
    }
}

impl<'a> Iterator for Arguments<'a> {
    type Item = Argument<'a>;

    fn next(&mut self) -> Option<Argument<'a>> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        let text = word.text.as_str();
        if self.operands_only || !text.starts_with(['-', '+']) || text.len() == 1 {
            return Some(Argument::Operand(text));
        }
        if text == "--" {
            self.operands_only = true;
            return self.next();
        }
        let value = takes_value(text, self.valued).then_some(rest);
        if value.is_some() {
            self.words = rest.get(1..).unwrap_or_default();
        }
        let value = value.and_then(<[_]>::first);
        Some(Argument::Option(text, value.map(|word| word.text.as_str())))
    }
}

fn takes_value(option: &str, valued: &str) -> bool {
    let short = letters(option, valued);
    let last = option.char_indices().next_back();
    listed(valued, option)
        // The last letter of a cluster: `-am message`.
        || last.is_some_and(|(at, c)| short.len() + 1 == at && is_valued(c, valued))
}

/// The letters of a cluster of short options, up to the first that takes a value.
fn letters<'a>(option: &'a str, valued: &str) -> &'a str {
    let Some(cluster) = option.strip_prefix('-') else {
        return "";
    };
    cluster
        .split(|c: char| !c.is_ascii_alphabetic() || is_valued(c, valued))
        .next()
        .unwrap_or_default()
}

fn is_valued(letter: char, valued: &str) -> bool {
    valued
        .split(' ')
        .any(|v| v.strip_prefix('-').is_some_and(|v| v.chars().eq([letter])))
}

/// Whether `list`, words with a blank between them, holds `word`.
fn listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|w| w == word)
}

/// Whether `given` is the option `wanted`, by itself, with `=value`, or as a letter of a cluster.
pub(super) fn is_option(given: &str, wanted: &str, valued: &str) -> bool {
    match given.strip_prefix(wanted) {
        Some("") => true,
        Some("=none" | "=false") => false,
        Some(value) if value.starts_with('=') => true,
        _ => match wanted.strip_prefix('-') {
            Some(letter) if letter.len() == 1 => letters(given, valued).contains(letter),
            _ => false,
        },
    }
}

/// The value that `given` has as the option `wanted`: behind `=`, behind its letter, or the `next` word.
pub(super) fn value<'a>(
    given: &'a str,
    next: Option<&'a str>,
    wanted: &str,
    valued: &str,
) -> Option<&'a str> {
    let attached = match given.strip_prefix(wanted) {
        Some("") => None,
        Some(rest) if wanted.starts_with("--") => rest.strip_prefix('='),
        rest => rest.map(|rest| rest.strip_prefix('=').unwrap_or(rest)),
    };
    attached.or(next.filter(|_| is_option(given, wanted, valued)))
}

/// Whether `word` stands in `names`, with `|` between them. By bytes: it is asked of every table row for every command.
pub(super) fn is_called(names: &str, word: &str) -> bool {
    names
        .as_bytes()
        .split(|byte| *byte == b'|')
        .any(|name| name == word.as_bytes())
}

/// Whether one of `patterns`, with `|` between them, is `word`. A `*` at an end of a pattern stands for anything.
pub(super) fn is_one_of(patterns: &str, word: &str) -> bool {
    patterns.split_terminator('|').any(|pattern| {
        match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
            // `*` alone is both.
            (Some(end), Some(_)) => end.strip_suffix('*').is_none_or(|part| word.contains(part)),
            (Some(end), None) => word.ends_with(end),
            (None, Some(start)) => word.starts_with(start),
            (None, None) => word == pattern,
        }
    })
}
