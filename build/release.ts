/**
 * The steps of a release, in order. `deno task release STEP…` takes them, as the workflow does; each can be
 * repeated. `deno task release --dry-run [STEP…]` takes all that need no account, and says what it left.
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
  /** Whose account it needs. */
  readonly account?: string;
  /** What of it is done in a dry run, where that is not all; none by default for what needs an account. */
  readonly rehearsal?: string;
}

const tag = `v${manifest.version}`;
const directory = "dist/release";
const tarball = `./${directory}/${manifest.name}-${manifest.version}.tgz`;
const deno = `npx -y deno@${denoVersion}`;
/** The registry's own program, which Go's checksum database knows. */
const publisher = "go run github.com/modelcontextprotocol/registry/cmd/publisher@v1.8.7";

/** The steps by their order: nothing is public before the last three, and those can be repeated. */
export const steps: readonly Step[] = [
  { name: "tests", command: "bash .ci/run" },
  { name: "binary", command: `${deno} task test-binary` },
  { name: "base", command: `${deno} task base-hash` },
  {
    name: "files",
    command: `${deno} task release-files --whole`,
    // The binaries of other systems are made by the workflow
    rehearsal: `${deno} task release-files`,
  },
  {
    name: "draft",
    account: "GitHub",
    command: `notes=$(${deno} run --allow-read build/notes.ts)
gh release view ${tag} ||
  gh release create ${tag} --draft --verify-tag --notes "$notes"
gh release upload ${tag} --clobber ${directory}/*`,
  },
  {
    name: "npm",
    account: "npm",
    // npm trusts the workflow by its identity, so there is no token
    command: `npm view ${manifest.name}@${manifest.version} version | grep . ||
  npm publish --provenance --access public ${tarball}`,
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

/** What is done of a step: its command, its rehearsal, or nothing. */
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
  const left: string[] = [];
  for (const step of stepsOf(names)) {
    const command = commandOf(step, dryRun);
    if (dryRun && step.account !== undefined) {
      left.push(`${step.name}: needs an account of ${step.account}`);
    }
    if (command === undefined) continue;
    say(`${step.name}: ${command}`);
    const isDone = await run(["bash", "-eo", "pipefail", "-c", command]);
    if (isDone) continue;
    Deno.exitCode = 1;
    left.push(`${step.name}: failed`);
    if (!dryRun) break;
  }
  for (const each of left) say(`left: ${each}`);
}
