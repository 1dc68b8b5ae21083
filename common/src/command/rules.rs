//! What changes the state that others share: one row a rule, written as it is typed.

use super::arguments::{Argument, Arguments, is_called, is_one_of, is_option, valued};
use super::names;
use super::words::Word;

/// Commands that make one kind of change.
struct Rule {
    what: &'static str,
    /// The program, then what its operands begin with: `a|b` one of these, `*` any, `..` any number, `$` no more. Then
    /// `-x|--long` is an option that must be there, and `>place` says where the last operand lies.
    form: &'static str,
    /// Options that make it harmless, besides `--help` and `--dry-run`.
    unless: &'static str,
    /// Operands that make it harmless.
    except: &'static str,
}

const fn rule(what: &'static str, form: &'static str) -> Rule {
    Rule {
        what,
        form,
        unless: "",
        except: "",
    }
}

impl Rule {
    const fn unless(self, unless: &'static str) -> Self {
        Self { unless, ..self }
    }

    const fn except(self, except: &'static str) -> Self {
        Self { except, ..self }
    }
}

#[rustfmt::skip] // one row a rule
const RULES: &[Rule] = &[
    rule("git-commit", "git|hub commit"),
    rule("git-push", "git|hub push").unless("-n"),
    rule("git-push", "git subtree push"),
    rule("git-push", "git svn dcommit").unless("-n"),
    // Which branch is merged into is not known; that of the main branch brings one's own up to date.
    rule("git-merge", "git merge")
        .unless("--abort --quit --no-commit --squash")
        .except("main|master|trunk|origin/main|origin/master|upstream/main|upstream/master"),
    rule("git-tag", "git tag *")
        .unless("-l --list -n -d --delete -v --verify --sort --format --column --points-at \
                 --contains --no-contains --merged --no-merged"),
    rule("git-tag", "npm version *").unless("--no-git-tag-version"),
    rule("git-commit", "hg|sl|svn commit|ci"),
    rule("git-push", "hg|sl push"),
    rule("git-push", "jj git push"),
    rule("gh-pr", "gh|glab pr|mr create|merge|new"),
    rule("gh-release", "gh|glab release create|edit|upload|delete|new"),
    // Package registries.
    rule("npm-publish", "npm|pnpm|yarn|bun|lerna|changeset|deno|jsr publish"),
    rule("npm-publish", "npm unpublish|deprecate"),
    rule("npm-publish", "yarn npm publish"),
    rule("npm-publish", "yarn workspace * npm publish"),
    rule("npm-publish", "yarn workspaces foreach .. npm publish"),
    rule("npm-publish", "semantic-release|np").unless("-v --version -d"),
    rule("cargo-publish", "cargo publish|yank").unless("-n"),
    rule("cargo-publish", "cargo release -x|--execute"),
    rule("pypi-publish", "twine|maturin upload"),
    rule("pypi-publish", "uv|poetry|flit|hatch|pdm|rye|maturin publish"),
    rule("package-publish", "gem|nuget push"),
    rule("package-publish", "rake|goreleaser release").unless("--snapshot --skip"),
    rule("package-publish", "dotnet nuget push"),
    rule("package-publish", "mvn|mvnw .. deploy|release:perform"),
    rule("package-publish", "gradle|gradlew|sbt .. publish*|*:publish")
    .except("publishToMavenLocal|publishLocal|publishM2"),
    rule("package-publish", "mix hex.publish"),
    rule("package-publish", "dart|flutter pub publish"),
    rule("package-publish", "vsce|ovsx publish"),
    rule("package-publish", "pod trunk push"),
    // Containers and clusters.
    rule("docker-push", "docker|podman|nerdctl|buildah|docker-compose|crane|oras push"),
    rule("docker-push", "docker|podman|nerdctl image|compose|manifest push"),
    rule("docker-push", "docker|podman|nerdctl build --push"),
    rule("docker-push", "docker buildx|image|compose build|bake --push"),
    rule("docker-push", "skopeo copy|sync >docker://"),
    rule("docker-deploy", "docker stack deploy"),
    rule("docker-deploy", "docker service create|update|rollback|scale|rm"),
    rule("helm", "helm install|upgrade|uninstall|delete|rollback|push"),
    rule("helm", "helmfile apply|sync|destroy"),
    rule("kubectl", "kubectl|oc apply|create|delete|replace|patch|edit|scale|autoscale|expose|run|set"),
    rule("kubectl", "kubectl|oc label|annotate|taint|drain|cordon|uncordon"),
    rule("kubectl", "kubectl|oc rollout restart|undo|pause|resume"),
    rule("kubectl", "skaffold run|deploy|apply|delete"),
    rule("argocd", "argocd app sync|create|set|delete|rollback"),
    // Infrastructure and platforms.
    rule("terraform", "terraform|tofu|terragrunt apply|destroy|import|taint|untaint"),
    rule("terraform", "terraform|tofu|terragrunt state mv|rm|push|replace-provider"),
    rule("terraform", "terragrunt run-all|run apply|destroy"),
    rule("pulumi", "pulumi up|update|destroy|import"),
    rule("aws", "aws s3 cp|mv|sync >s3://").unless("--dryrun"),
    rule("aws", "aws s3 rm|mb|rb").unless("--dryrun"),
    rule("aws", "aws deploy create-deployment|push"),
    rule("aws", "aws cloudformation deploy|create-stack|update-stack|delete-stack|execute-change-set"),
    rule("aws", "aws ecs update-service|create-service|delete-service"),
    rule("aws", "aws lambda update-function-code|publish-version|update-alias"),
    rule("aws", "aws elasticbeanstalk update-environment"),
    rule("aws", "aws amplify start-deployment|start-job"),
    rule("gcloud", "gcloud .. deploy"),
    rule("gcloud", "gcloud builds submit"),
    rule("gcloud", "gcloud storage cp|mv|rsync >gs://"),
    rule("gcloud", "gsutil cp|mv|rsync >gs://").unless("-n"),
    rule("az", "az .. deploy|up"),
    rule("az", "az .. deployment .. create|config-zip"),
    rule("gh-pr", "az repos pr create"),
    rule("deploy", "vercel|vc $").unless("-v --version"),
    rule("deploy", "vercel|vc .|./*|/*"),
    rule("deploy", "vercel|vc deploy|promote|redeploy|rollback"),
    rule("deploy", "netlify|netlify-cli|fly|flyctl|railway|convex|sst|dep deploy"),
    rule("deploy", "wrangler|firebase|firebase-tools deploy|publish|rollback"),
    rule("deploy", "serverless|sls|cdk|aws-cdk|sam|eb|copilot deploy|remove|destroy|rollback"),
    rule("deploy", "wrangler|supabase pages|functions|versions deploy|publish"),
    rule("deploy", "kamal deploy|redeploy|rollback|setup"),
    rule("deploy", "cap .. deploy|deploy:*"),
    rule("deploy", "amplify|eas publish|push|submit|update"),
    rule("deploy", "gh-pages|surge"),
    rule("deploy", "mkdocs gh-deploy"),
    rule("heroku", "heroku container:push|container:release|releases:rollback|rollback"),
    rule("heroku", "heroku config:set|config:unset|ps:scale|ps:restart|restart|run|run:detached"),
    rule("heroku", "heroku pipelines:promote|builds:create|apps:destroy"),
    rule("ansible", "ansible-playbook *")
        .unless("-C --check --syntax-check --list-hosts --list-tasks --list-tags"),
    rule("production-migration", "prisma migrate deploy"),
    rule("production-migration", "supabase db push"),
    // Hosts. With -N ssh only forwards ports; `git@` is a forge, which runs nothing but git.
    rule("ssh", "ssh|autossh|mosh|sftp *")
        .unless("-V -G -Q -N")
        .except("localhost|*@localhost|127.0.0.1|*@127.0.0.1|git@*"),
    rule("scp", "scp >host"),
    rule("rsync", "rsync >host").unless("-n --list-only"),
];

/// The change to shared state that `program` makes with these arguments.
pub(super) fn change(program: &str, words: &[Word]) -> Option<&'static str> {
    let mut rules = RULES.iter().filter_map(|rule| {
        let (names, operands) = rule.form.split_once(' ').unwrap_or((rule.form, ""));
        is_called(names, program).then_some((rule, operands))
    });
    let mut rules = rules.by_ref().peekable();
    rules.peek()?;
    let given = Given::of(words, valued(program));
    rules
        .find(|(rule, operands)| given.fits(rule, operands))
        .map(|(rule, _)| rule.what)
}

/// What a program was given.
struct Given<'a> {
    operands: Vec<&'a str>,
    options: Vec<&'a str>,
    valued: &'static str,
    help: bool,
}

impl<'a> Given<'a> {
    fn of(words: &'a [Word], valued: &'static str) -> Self {
        let mut operands = Vec::new();
        let mut options = Vec::new();
        for argument in Arguments::new(words, valued) {
            match argument {
                Argument::Option(option) => options.push(option),
                Argument::Operand(operand) => operands.push(operand),
            }
        }
        // As the last word only: `rsync -h` counts in a human's units.
        let asks = words.last().is_some_and(|word| word.text == "-h");
        let help = asks || operands.first() == Some(&"help");
        Self {
            operands,
            options,
            valued,
            help,
        }
    }

    fn fits(&self, rule: &Rule, operands: &str) -> bool {
        let harmless = self.help
            || self.has("--help -help --dry-run")
            || self.has(rule.unless)
            || self
                .operands
                .iter()
                .any(|operand| is_one_of(rule.except, operand));
        !harmless && self.follows(operands)
    }

    fn follows(&self, form: &str) -> bool {
        let mut rest = self.operands.as_slice();
        let mut gap = false;
        for step in form.split_terminator(' ') {
            let fits = if step == ".." {
                true
            } else if step == "$" {
                rest.is_empty()
            } else if step.starts_with('-') {
                step.split('|').any(|option| self.has(option))
            } else if let Some(place) = step.strip_prefix('>') {
                self.operands.len() > 1 && rest.last().is_some_and(|last| lies(last, place))
            } else {
                let found = rest.iter().position(|operand| is_one_of(step, operand));
                rest = found.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
                found.is_some_and(|at| at == 0 || gap)
            };
            if !fits {
                return false;
            }
            gap = step == "..";
        }
        true
    }

    /// Whether one of `options`, with blanks between them, was given.
    fn has(&self, options: &str) -> bool {
        let wanted = |given| {
            options
                .split(' ')
                .any(|wanted| is_option(given, wanted, self.valued))
        };
        self.options.iter().copied().any(wanted)
    }
}

/// Whether the operand names a place of this kind.
fn lies(operand: &str, place: &str) -> bool {
    match place {
        "host" => names::is_remote(operand),
        scheme => operand.starts_with(scheme),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    /// A row that shows what each rule is for stands in the table of command lines.
    #[test]
    fn every_rule_fits_some_row() {
        let rows = include_str!("../../../tests/commands.tsv").lines();
        let lines = rows.filter_map(|row| Some(row.split_once('\t')?.1.replace('⏎', "\n")));
        let commands: Vec<_> = lines
            .flat_map(|line| words::split(&line).commands)
            .collect();
        let fits = |rule: &Rule, words: &[Word]| {
            let (names, operands) = rule.form.split_once(' ').unwrap_or((rule.form, ""));
            let Some((first, arguments)) = words.split_first() else {
                return false;
            };
            let program = names::program(&first.text);
            let called = is_called(names, &program);
            called && Given::of(arguments, valued(&program)).fits(rule, operands)
        };
        for rule in RULES {
            // Prefixes such as `npx` stand before some.
            let seen = commands
                .iter()
                .any(|command| (0..command.words.len()).any(|at| fits(rule, &command.words[at..])));
            assert!(seen, "no row for {:?}", rule.form);
        }
    }
}
