//! What changes the state that others share: one row a rule, written as it is typed.

use super::arguments::is_called;
use super::given::{self, Given};
use super::words::Word;

/// Commands that make one kind of change.
struct Rule {
    what: &'static str,
    /// The program, then what its operands begin with: see [`Given::follows`].
    form: &'static str,
    /// Options that make it harmless, besides `--help` and `--dry-run`.
    unless: &'static str,
    /// Operands that don't count.
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

    /// Whether `given` is what this rule, whose form ends in `operands`, is for.
    fn fits(&self, operands: &str, given: &Given) -> bool {
        given.follows(operands, self.except) && !given.is_harmless(self.unless)
    }
}

/// Options with which `git merge` ends no merge.
pub(super) const NO_MERGE: &str = "--abort --quit --no-commit --squash";

#[rustfmt::skip] // one row a rule
const RULES: &[Rule] = &[
    // The last three print what a commit would do.
    rule("git-commit", "git|hub commit").unless("--short --porcelain --long"),
    rule("git-push", "git|hub push").unless("-n"),
    rule("git-push", "git subtree push"),
    rule("git-push", "git lfs push").unless("-d"),
    rule("git-push", "git svn dcommit").unless("-n"),
    // Which branch is merged into is mostly not known; that of the main branch brings one's own up to date. The last
    // ones are strategies.
    rule("git-merge", "git merge *")
        .unless(NO_MERGE)
        .except("main|master|trunk|origin/main|origin/master|upstream/main|upstream/master|\
                 ours|ort|recursive|resolve|octopus|subtree"),
    rule("git-merge", "git merge --continue"),
    rule("git-tag", "git tag *")
        .unless("-l --list -n -d --delete -v --verify --sort --format --column --points-at \
                 --contains --no-contains --merged --no-merged"),
    rule("git-tag", "npm|pnpm version *").unless("--no-git-tag-version"),
    rule("git-tag", "standard-version|commit-and-tag-version"),
    rule("git-tag", "lerna version"),
    rule("git-commit", "hg|sl|svn commit|ci"),
    rule("git-push", "hg|sl push"),
    rule("git-push", "jj git push"),
    rule("gh-pr", "gh|glab pr|mr create|merge|new"),
    rule("gh-pr", "hub pull-request"),
    rule("gh-release", "gh|hub|glab release create|edit|upload|delete|new"),
    rule("gh-repo", "gh|glab repo delete|archive|rename"),
    rule("git-push", "gh repo create --push"),
    rule("gh-api", "gh|glab api repos/*|/repos/*|https://api.github.com/repos/*|projects/* \
                    -X|--method:PUT|POST|PATCH|DELETE"),
    // With a field it posts.
    rule("gh-api", "gh|glab api repos/*|/repos/*|https://api.github.com/repos/*|projects/* \
                    -f|-F|--field|--raw-field|--input").unless("-X|--method:GET|HEAD"),
    rule("gh-api", "gh api graphql -f|-F|--field|--raw-field:query=mutation*"),
    // Package registries.
    rule("npm-publish", "npm|pnpm|yarn|bun|lerna|changeset|deno|jsr publish"),
    rule("npm-publish", "npm unpublish|deprecate"),
    rule("npm-publish", "yarn npm publish"),
    rule("npm-publish", "yarn workspace * npm publish"),
    rule("npm-publish", "yarn workspaces foreach .. npm publish"),
    rule("npm-publish", "semantic-release|np").unless("-v --version -d"),
    rule("cargo-publish", "cargo publish|yank").unless("-n"),
    rule("npm-publish", "release-it").unless("-d -v --version --release-version --changelog"),
    rule("npm-publish", "nx release $").unless("-d"),
    rule("npm-publish", "nx release publish|version|changelog|patch|minor|major").unless("-d"),
    rule("cargo-publish", "cargo release -x|--execute"),
    rule("cargo-publish", "cargo smart-release -e|--execute"),
    rule("cargo-publish", "cargo workspaces|ws publish"),
    rule("cargo-publish", "release-plz release"),
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
    rule("docker-push", "docker|podman|nerdctl|buildctl build -o|--output:*type=registry*|*push=true*"),
    rule("docker-push", "docker buildx|image|compose build|bake -o|--output|--set:*type=registry*|*push=true*"),
    rule("docker-push", "docker buildx imagetools create"),
    rule("docker-push", "pack build --publish"),
    rule("docker-push", "skopeo copy|sync >docker://"),
    rule("docker-deploy", "docker stack deploy"),
    rule("docker-deploy", "docker service create|update|rollback|scale|rm"),
    rule("helm", "helm install|upgrade|uninstall|delete|rollback|push"),
    rule("helm", "helmfile apply|sync|destroy"),
    rule("kubectl", "kubectl|oc apply|create|delete|replace|patch|edit|scale|autoscale|expose|run|set"),
    rule("kubectl", "kubectl|oc label|annotate|taint|drain|cordon|uncordon"),
    rule("kubectl", "kubectl|oc rollout restart|undo|pause|resume"),
    rule("kubectl", "skaffold run|deploy|apply|delete"),
    rule("kubectl", "eksctl create|delete|upgrade|scale"),
    rule("nomad", "nomad job run|stop|revert|scale|promote"),
    rule("argocd", "argocd app sync|create|set|delete|rollback"),
    // Infrastructure and platforms.
    rule("terraform", "terraform|tofu|terragrunt apply|destroy|import|taint|untaint"),
    rule("terraform", "terraform|tofu|terragrunt state mv|rm|push|replace-provider"),
    rule("terraform", "terragrunt run-all|run apply|destroy"),
    rule("pulumi", "pulumi up|update|destroy|import"),
    rule("aws", "aws s3 cp|mv|sync >s3://").unless("--dryrun"),
    rule("aws", "aws s3 rm|mb|rb").unless("--dryrun"),
    rule("aws", "aws s3api put-*|delete-*|copy-*"),
    rule("aws", "s3cmd|s5cmd put|cp|mv|sync >s3://").unless("-n"),
    rule("aws", "s3cmd|s5cmd del|rm|mb|rb >s3://").unless("-n"),
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
    rule("az", "azcopy copy|cp|sync >https://"),
    rule("az", "az .. deployment .. create|config-zip"),
    rule("gh-pr", "az repos pr create"),
    rule("deploy", "vercel|vc $").unless("-v --version"),
    rule("deploy", "vercel|vc .|./*|/*"),
    rule("deploy", "vercel|vc deploy|promote|redeploy|rollback"),
    rule("deploy", "netlify|netlify-cli|fly|flyctl|railway|convex|sst|dep|modal|deployctl deploy"),
    rule("deploy", "railway up|redeploy|down"),
    rule("deploy", "fly|flyctl launch").unless("--no-deploy"),
    rule("deploy", "fastlane .. <deployment"),
    rule("deploy", "fastlane .. beta|alpha|deliver|supply|pilot|appstore|testflight|upload_to_*"),
    rule("deploy", "wrangler|firebase|firebase-tools deploy|publish|rollback"),
    rule("deploy", "serverless|sls|cdk|cdktf|aws-cdk|sam|eb|copilot deploy|remove|destroy|rollback"),
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
    rule("ansible", "ansible * -m|--module-name|-a|--args")
        .unless("-C --check --list-hosts -m|--module-name:ping|setup|debug|*.ping|*.setup|*.debug")
        .except("localhost|127.0.0.1"),
    // Tasks by name. A project of nx may be called by such a word too.
    rule("deploy-script", "turbo|rake|fab|gradle|gradlew|run-s|run-p|npm-run-all .. <deployment")
        .unless("--dry -n -m -T -P -D -W -l --list --tasks"),
    rule("deploy-script", "nx deploy*|publish*"),
    rule("deploy-script", "nx run *:deploy*|*:publish*|*:release"),
    rule("deploy-script", "nx run-many|affected .. deploy*|publish*|release*"),
    rule("deploy-script", "nx run-many|affected -t|--target|--targets:deploy*|publish*|release*"),
    rule("production-migration", "prisma migrate deploy"),
    rule("production-migration", "supabase db push"),
    // Hosts. With -N ssh only forwards ports, with -O it speaks to its own master.
    rule("ssh", "ssh|autossh|mosh|sftp <host").unless("-V -G -Q -N -O"),
    rule("ssh", "ssh <git-host *").unless("-V -G -Q -N -O"),
    rule("scp", "scp >path"),
    rule("rsync", "rsync >path").unless("-n --list-only"),
    rule("rclone", "rclone copy|copyto|sync|move|moveto|bisync|delete|deletefile|purge|rcat >path").unless("-n -i"),
];

/// The change to shared state that `program` makes with these arguments.
pub(super) fn change(program: &str, words: &[Word]) -> Option<&'static str> {
    let name = given::family(program);
    let mut rules = RULES.iter().filter_map(|rule| {
        let (names, operands) = rule.form.split_once(' ').unwrap_or((rule.form, ""));
        is_called(names, name).then_some((rule, operands))
    });
    let mut rules = rules.by_ref().peekable();
    rules.peek()?;
    let given = Given::of(program, words);
    rules
        .find(|(rule, operands)| rule.fits(operands, &given))
        .map(|(rule, _)| rule.what)
}

#[cfg(test)]
mod tests {
    use super::super::{names, words};
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
            let called = is_called(names, given::family(&program));
            called && rule.fits(operands, &Given::of(&program, arguments))
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
