//! What a name gives away: programs behind their paths, scripts that deploy, migrations of production, other hosts.

use super::arguments::is_called;
use super::words::Word;

/// Endings of files that are run.
const SCRIPT_ENDINGS: &str = "sh|bash|zsh|fish|ps1|py|rb|pl|php|js|mjs|cjs|ts|mts|yml|yaml";

/// Programs that are installed with their version in the name.
const INTERPRETERS: &str = "python|pypy|ruby|perl|php|node";

/// Programs that migrate databases.
const MIGRATORS: &str = "rails|rake|knex|sequelize|sequelize-cli|typeorm|alembic|flask|django-admin|\
    flyway|liquibase|dbmate|goose|migrate|diesel|sqlx|prisma|mix|atlas|drizzle-kit";

/// Hosts that know git alone.
const FORGES: &str = "github.com|ssh.github.com|gitlab.com|altssh.gitlab.com|bitbucket.org|\
    altssh.bitbucket.org|codeberg.org|gitea.com|gitee.com|git.sr.ht|ssh.dev.azure.com";

/// Parts of names and arguments that say that nothing is shipped.
const HARMLESS: &[&str] = &[
    "test", "tests", "check", "lint", "verify", "validate", "dry", "dryrun", "plan", "status",
    "list", "show", "notes", "pre", "post", "local", "help", "generate", "create", "make", "new",
];

/// A program's name without its path, a version (`npx name@2`, `python3.11`) and `.exe`, in lower case: file systems
/// may ignore it.
pub(super) fn program(word: &str) -> String {
    let file = word.rsplit('/').next().unwrap_or_default();
    let name = file.split_once('@').map_or(file, |(name, _)| name);
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if is_called(INTERPRETERS, unversioned) {
        unversioned.to_owned()
    } else {
        name.to_owned()
    }
}

/// The change that the name of a script or of a migration tells. With `script` the first word is one for certain,
/// otherwise it must look like a file.
///
/// `all` are the words of the whole command, its assignments and prefixes among them.
pub(super) fn change(words: &[Word], all: &[Word], script: bool) -> Option<&'static str> {
    let name = words.first()?.text.rsplit('/').next()?.to_ascii_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let is_script = (script || words.first()?.text.contains('/') || !ending.is_empty())
        && (ending.is_empty() || is_called(SCRIPT_ENDINGS, ending));
    let is_migrator = is_called(MIGRATORS, stem);
    if !is_script && !is_migrator || all.iter().any(says_dry_run) {
        return None;
    }
    if is_script && deploys(stem, ending) {
        return Some("deploy-script");
    }
    let parts: Vec<String> = all.iter().flat_map(|w| parts(&w.text)).collect();
    let any = |wanted: &[&str]| parts.iter().any(|p| wanted.contains(&p.as_str()));
    let migrates =
        parts.iter().any(|p| p.starts_with("migrat")) || is_migrator && any(&["upgrade"]);
    (migrates && any(&["prod", "production"]) && !any(HARMLESS)).then_some("production-migration")
}

/// Whether a task of this name deploys.
pub(super) fn is_deployment(task: &str) -> bool {
    deploys(&task.to_ascii_lowercase(), "")
}

fn deploys(stem: &str, ending: &str) -> bool {
    let all: Vec<String> = parts(stem).collect();
    let any = |wanted: &[&str]| all.iter().any(|part| wanted.contains(&part.as_str()));
    let ships = |parts: &[String]| {
        let begins = |verb| parts.first().is_some_and(|part| part == verb);
        let ends = |verb| parts.last().is_some_and(|part| part == verb);
        // `/etc/os-release` is a file of the system, `build-release.sh` builds in release mode.
        let releases = begins("release") || ends("release") && !ending.is_empty();
        let deploys = begins("deploy") || ends("deploy") || begins("publish") || ends("publish");
        deploys || releases && !any(&["build"])
    };
    // Each part of `web:deploy:prod` is a name of its own.
    let mut names = stem.split([':', '#', '[']);
    names.any(|name| ships(&parts(name).collect::<Vec<_>>())) && !any(HARMLESS)
}

fn parts(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .map(str::to_ascii_lowercase)
}

fn says_dry_run(word: &Word) -> bool {
    match word.text.as_str() {
        "--help" | "-h" | "--dry-run" | "--dryrun" => true,
        text => text
            .strip_prefix("DRY_RUN=")
            .is_some_and(|value| !matches!(value, "" | "0" | "false" | "no")),
    }
}

/// Whether `path`, as scp and rsync take it, lies on another host.
pub(super) fn is_remote(path: &str) -> bool {
    let host = match path.split_once("://") {
        Some((_, rest)) => rest.split(['/', ':']).next(),
        None => path
            .split_once(':')
            .map(|(host, _)| host)
            .filter(|host| !host.contains('/')),
    };
    host.is_some_and(|host| !host.is_empty() && !is_local(without_user(host)))
}

/// Whether `host`, as ssh takes it, is another machine that may run anything: a known forge runs nothing but git.
pub(super) fn is_other_host(host: &str) -> bool {
    let host = without_user(host.strip_prefix("ssh://").unwrap_or(host));
    let name = match host.split_once([':', '/']) {
        Some((name, rest)) if !rest.contains(':') => name,
        _ => host,
    };
    !is_local(name) && !is_called(FORGES, name)
}

fn without_user(host: &str) -> &str {
    host.rsplit('@').next().unwrap_or(host)
}

fn is_local(host: &str) -> bool {
    matches!(host, "" | "localhost" | "127.0.0.1" | "::1" | "[::1]")
}
