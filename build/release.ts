/**
 * The steps of a release, in order. `deno task release STEP…` takes them, as the workflow does; each can be
 * repeated. `deno task release --dry-run [STEP…]` takes all that need no account and write into dist/ alone, and says what
 * is left to a person.
 */

import manifest from "../deno.json" with { type: "json" };
import { denoVersion } from "./_facts.ts";
import { say } from "./_problems.ts";

type Words = readonly [program: string, ...args: string[]];

/** One step. */
export interface Step {
  readonly name: string;
  /** Its command, for bash. */
  readonly command: string;
  /** The step without which it cannot be taken. */
  readonly needs?: string;
  /** Whose account it needs. */
  readonly account?: string;
  /** The part of the command that a dry run takes; by default all, or nothing where the step needs an account. */
  readonly rehearsal?: string;
}

const tag = `v${manifest.version}`;
const directory = "dist/release";
const tarball = `./${directory}/${manifest.name}-${manifest.version}.tgz`;
const deno = `npx -y deno@${denoVersion}`;
/** The registry's own program, which Go's checksum database knows. */
const publisher = "go run github.com/modelcontextprotocol/registry/cmd/publisher@v1.8.7";

/** The command that runs a script of this folder. */
const script = (words: string) => `${deno} run --allow-all build/${words}`;

/** The steps by their order: nothing is public before the last three, and those can be repeated. */
export const steps: readonly Step[] = [
  {
    name: "notes",
    command: `${deno} run --allow-read build/notes.ts
tagged=$(git rev-parse --quiet --verify ${tag}^{commit}) || exit 0
[ "$tagged" = "$(git rev-parse HEAD)" ] || {
  echo "${tag} is another commit already: raise the version in deno.json"
  exit 1
}`,
  },
  // As root it installs programs and makes a user, so a dry run checks the types instead
  { name: "tests", command: "bash .ci/run", rehearsal: `${deno} task check` },
  { name: "binary", command: `${deno} task test-binary` },
  { name: "base", needs: "binary", command: script("base_hash.ts") },
  { name: "smoke", needs: "binary", command: script("smoke.ts") },
  { name: "archive", needs: "binary", command: script(`archive.ts ${Deno.build.target}`) },
  {
    name: "files",
    command: `${deno} task release-files --whole
${script("smoke.ts dist/climax.mjs")}`,
    // The binaries of other systems are made by the workflow, which knows the address
    rehearsal: `${deno} task release-files --repository ` +
      '"${GITHUB_SERVER_URL:-https://github.com}/${GITHUB_REPOSITORY:-OWNER/climax}"',
  },
  {
    name: "draft",
    account: "GitHub",
    // A tag that is missing is made when the draft is published, of this commit, and not of that of an earlier run
    command: `notes=$(${deno} run --allow-read build/notes.ts)
head=$(git rev-parse HEAD)
if gh release view ${tag}; then
  gh release edit ${tag} --target "$head" --notes "$notes"
else
  gh release create ${tag} --draft --target "$head" --notes "$notes"
fi
gh release upload ${tag} --clobber ${directory}/*`,
  },
  {
    name: "npm",
    account: "npm",
    // npm trusts the workflow by its identity, so there is no token
    command: `npm view ${manifest.name}@${manifest.version} version | grep . ||
  npm publish --provenance --access public ${tarball} || {
    npm view ${manifest.name} version | grep . ||
      echo "npm trusts a workflow for a package that exists: build/README.md, The first publication"
    exit 1
  }`,
    rehearsal: `npm publish --dry-run --access public ${tarball}`,
  },
  {
    name: "registry",
    account: "MCP registry",
    // The registry refuses a version that it has
    command: `cd ${directory}
${publisher} login github-oidc
said=$(${publisher} publish 2>&1) || grep 'duplicate version' <<<"$said" || { echo "$said"; exit 1; }`,
  },
  { name: "publish", account: "GitHub", command: `gh release edit ${tag} --draft=false` },
];

/** Lists the steps that a dry run leaves to a person, after those that failed. */
const leftToPerson: readonly string[] = [
  "tests: bash .ci/run, in a container: as root it installs Debian's packages and makes a user",
  "before: deno task bench --check, on a machine that does nothing else",
  "the button: Actions, release, Run workflow; it builds and tests the binaries of all five systems",
  `its accounts (${accountSteps()}): the workflow's own, and nothing is filled in`,
  `the first time, npm stops it: publish ${manifest.name} by hand, and re-run (build/README.md)`,
];

function accountSteps(): string {
  return steps.filter(({ account }) => account !== undefined).map(({ name }) => name).join(", ");
}

/** Returns the command of a step, its rehearsal, or nothing. */
export function commandOf(step: Step, dryRun: boolean): string | undefined {
  const isWhole = step.account === undefined && step.rehearsal === undefined;
  return dryRun && !isWhole ? step.rehearsal : step.command;
}

/** The steps that `names` name, all without names. @throws for an unknown name */
export function stepsOf(names: readonly string[]): readonly Step[] {
  const unknown = names.find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined) {
    const known = steps.map(({ name }) => name).join(", ");
    throw new Error(`There is no step '${unknown}': expected ${known}`);
  }
  return steps.filter(({ name }) => names.length === 0 || names.includes(name));
}

async function run([program, ...args]: Words): Promise<boolean> {
  return (await new Deno.Command(program, { args, stdin: "null" }).spawn().status).success;
}

if (import.meta.main) {
  const dryRun = Deno.args.includes("--dry-run");
  const names = Deno.args.filter((arg) => arg !== "--dry-run");
  if (names.length === 0 && !dryRun) throw new Error("Name the steps, or take --dry-run");
  const refName = Deno.env.get("GITHUB_REF_NAME");
  if (refName?.startsWith("v") && refName !== tag) {
    throw new Error(`The tag is ${refName}, and the version in deno.json is ${manifest.version}`);
  }
  const failures: string[] = [];
  for (const step of stepsOf(names)) {
    const command = commandOf(step, dryRun);
    if (command === undefined) continue;
    if (step.needs !== undefined && failures.includes(step.needs)) {
      failures.push(step.name);
      continue;
    }
    say(`${step.name}: ${command}`);
    const isDone = await run(["bash", "-eo", "pipefail", "-c", command]);
    if (isDone) continue;
    Deno.exitCode = 1;
    failures.push(step.name);
    if (!dryRun) break;
  }
  if (failures.length > 0) say(`left: what failed: ${failures.join(", ")}`);
  for (const each of dryRun ? leftToPerson : []) say(`left: ${each}`);
}
