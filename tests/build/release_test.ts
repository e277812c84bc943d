/** What is released: names, pinned actions, and permissions no wider than a job needs. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { load } from "js-yaml";
import { baseProblem } from "../../build/base_hash.ts";
import { notesOf } from "../../build/notes.ts";
import { commandOf, steps, stepsOf } from "../../build/release.ts";
import { programs } from "../_requirements.ts";
import changelog from "../../CHANGELOG.md" with { type: "text" };
import { scratch } from "../e2e/_scratch.ts";
import { root } from "../e2e/_server.ts";
import { manifest, permissionsOf, run } from "./_build.ts";
import { ends } from "../cli/commands/_climax.ts";

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<
    Record<string, {
      readonly permissions?: object;
      readonly needs?: string | readonly string[];
      readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
    }>
  >;
}

const names = [...Deno.readDirSync(join(root, ".github", "workflows"))].map(({ name }) => name);
const texts = names.map((name) => {
  return [name, Deno.readTextFileSync(join(root, ".github", "workflows", name))] as const;
});

for (const [name, text] of texts) {
  const workflow = load(text) as Workflow;

  Deno.test(`${name} pins every action by its commit and names the version`, () => {
    const uses = text.split("\n").filter((line) => line.includes("uses:"));
    assert.equal(uses.length > 0, true);
    for (const line of uses) {
      assert.match(line, /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  Deno.test(`${name} may only read, but for the job that publishes`, () => {
    assert.deepEqual(workflow.permissions, { contents: "read" });
    for (const [job, { permissions }] of Object.entries(workflow.jobs)) {
      if (job !== "publish") assert.equal(permissions, undefined, job);
    }
  });

  Deno.test(`${name} calls tasks that there are`, () => {
    const commands = Object.values(workflow.jobs).flatMap(({ steps }) => {
      return steps.flatMap((step) => step.run ?? []);
    });
    const tasks = commands.flatMap((command) =>
      /deno@[\d.]+ task ([\w-]+)/.exec(command)?.[1] ?? []
    );
    const unknown = tasks.filter((task) => !Object.hasOwn(manifest.tasks, task));
    assert.deepEqual(unknown, []);
  });
}

const release = load(new Map(texts).get("release.yml")!) as Workflow;

function commandsOf(job: string): string {
  return release.jobs[job]!.steps.flatMap(({ run }) => run ?? []).join("\n");
}

Deno.test("release.yml publishes after the tests, and after those of every binary", () => {
  assert.deepEqual(release.jobs["publish"]!.needs, ["test", "binary"]);
  assert.match(commandsOf("test"), /task release tests$/);
  assert.match(commandsOf("binary"), /task release binary base\n.*task smoke\n.*task archive/);
});

Deno.test("release.yml takes every step once, and those with an account last", () => {
  const commands = ["test", "binary", "publish"].map(commandsOf).join("\n");
  const taken = [...commands.matchAll(/task release ([a-z ]+)$/gm)].flatMap(([, names]) => {
    return names!.split(" ");
  });
  assert.deepEqual(taken, steps.map(({ name }) => name));
  const accounts = steps.findIndex(({ account }) => account !== undefined);
  assert.ok(steps.slice(accounts).every(({ account }) => account !== undefined));
  assert.deepEqual(taken.slice(accounts), ["draft", "npm", "registry", "publish"]);
});

Deno.test("what an earlier run of the release has done is no reason to fail", () => {
  const command = (name: string) => stepsOf([name])[0]!.command;
  assert.match(command("draft"), /gh release view [^\n]*\|\|\n *gh release create .*--draft /);
  assert.match(command("draft"), /gh release upload .* --clobber /);
  assert.match(command("npm"), /npm view [^\n]*\|\|\n *npm publish --provenance /);
  assert.match(command("registry"), /publish 2>&1\) \|\| grep 'duplicate version'/);
});

Deno.test("a dry run does nothing that needs an account", () => {
  const done = steps.flatMap((step) => commandOf(step, true) ?? []);
  assert.deepEqual(
    done.filter((command) => /\bgh \b|publisher|npm publish (?!--dry-run)/.test(command)),
    [],
  );
  assert.equal(done.length, steps.length - 3);
  assert.deepEqual(
    steps.map((step) => commandOf(step, false)),
    steps.map(({ command }) => command),
  );
});

Deno.test("a release with a file left out is not published", () => {
  const [step] = stepsOf(["files"]);
  assert.match(commandOf(step!, false)!, /task release-files --whole$/);
  assert.match(commandOf(step!, true)!, /task release-files$/);
});

const changelogs: [what: string, text: string, notes: string | undefined][] = [
  [
    "its section",
    "# C\n\n## [2.0.0]\n\nB\n\n## [1.0.0] - day\n\n### Added\n\n- A\n\n## [0.9.0]\n\nC\n",
    "### Added\n\n- A",
  ],
  ["no section", "# C\n\n## [Unreleased]\n\nA\n\n## [1.0.0-rc.1]\n\nB\n", undefined],
  ["a section with nothing", "# C\n\n## [1.0.0]\n\n## [0.9.0]\n\nC\n", undefined],
];

for (const [what, text, notes] of changelogs) {
  Deno.test(`notesOf() a changelog with ${what} ${notes ? "returns it" : "fails"}`, () => {
    if (notes) assert.equal(notesOf("1.0.0", text), notes);
    else assert.throws(() => notesOf("1.0.0", text), /no notes under '## \[1\.0\.0\]'/);
  });
}

Deno.test("the changelog has notes of this version", () => {
  assert.match(notesOf(manifest.version, changelog), /^### Added$/m);
});

const dryRuns: [args: readonly string[], code: number, said: RegExp][] = [
  [["--dry-run", "draft", "publish"], 0, /^left: draft: .* GitHub\nleft: publish: .* GitHub\n$/],
  [["--dry-run", "drafts"], 1, /There is no step 'drafts': expected tests, binary, /],
  [[], 1, /Name the steps, or take --dry-run/],
];

for (const [args, code, said] of dryRuns) {
  Deno.test(`build/release.ts ${args.join(" ")} ends with ${code}`, async () => {
    const words = [
      "run",
      "--allow-read",
      "--allow-env",
      "--allow-run",
      join("build", "release.ts"),
    ];
    const env = { GITHUB_REF_NAME: "" };
    const ran = await run([Deno.execPath(), ...words, ...args], { cwd: root, env });
    assert.equal(ran.code, code, ran.stderr);
    assert.match(ran.stderr, said);
  });
}

const bases: [what: string, recorded: Record<string, string>, said: RegExp | undefined][] = [
  ["as recorded", { "v1/denort.zip": "ab" }, undefined],
  ["not recorded", {}, /^v1\/denort\.zip is not in build\/denort\.json: compare ab /],
  ["another", { "v1/denort.zip": "cd" }, /is not what was recorded: .* ab, expected cd$/],
];

for (const [what, recorded, said] of bases) {
  Deno.test(`baseProblem() of a base that is ${what}`, () => {
    const problem = baseProblem("v1/denort.zip", "ab", recorded);
    if (said === undefined) assert.equal(problem, undefined);
    else assert.match(problem!, said);
  });
}

const unknownBases: [what: string, env: Record<string, string>, said: RegExp][] = [
  ["no download", {}, /denort-no-such\.zip is not there: build the binary first/],
  ["another base in DENORT_BIN", { DENORT_BIN: "denort" }, /^DENORT_BIN is set, /],
];

for (const [what, env, said] of unknownBases) {
  Deno.test(`build/base_hash.ts with ${what} says so and fails`, async () => {
    const own = ["--allow-read", "--allow-env", "--allow-run"];
    const words = ["run", ...own, join("build", "base_hash.ts"), "no-such"];
    const ran = await run([Deno.execPath(), ...words], {
      cwd: root,
      env: { DENORT_BIN: "", ...env },
    });
    assert.equal(ran.code, 1, ran.stderr);
    assert.match(ran.stderr, said);
  });
}

const linters: [program: string, args: string[], version: string][] = [
  ["actionlint", [], "-version"],
  ["hadolint", ["Dockerfile"], "--version"],
];

for (const [program, args, version] of linters) {
  Deno.test(
    `${program} finds no fault in what is released`,
    await programs({ [program]: [version] }),
    async () => {
      await ends(run([program, ...args], { cwd: root }), { code: 0 });
    },
  );
}

Deno.test("the Dockerfile starts the portable form as it starts itself, and not as root", async () => {
  const text = await Deno.readTextFile(join(root, "Dockerfile"));
  assert.match(text, /^USER 65532:65532$/m);
  const [, entry] = /^ENTRYPOINT (\[.*\])$/m.exec(text)!;
  const [, ...args] = JSON.parse(entry!);
  const flags = [
    "--no-config",
    "--no-prompt",
    "--no-remote",
    "--no-npm",
    "--v8-flags=--min-semi-space-size=16",
    ...permissionsOf("portable"),
  ];
  assert.deepEqual(args, ["run", ...flags, "/usr/local/lib/climax/climax.mjs"]);
});

async function archive(args: readonly string[], env: Record<string, string> = {}) {
  const own = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  const script = join("build", "archive.ts");
  return await run([Deno.execPath(), "run", ...own, script, ...args], {
    cwd: root,
    env: { GITHUB_REF_NAME: "", ...env },
  });
}

const tar = await programs({ tar: ["--version"] });

tar.test("build/archive.ts names what it packs after the version", async () => {
  await using dir = await scratch();
  const output = join(dir.path, "release");
  for (const name of ["climax", "climax.exe", "climax.mjs"]) {
    await Deno.writeTextFile(join(dir.path, name), name);
  }
  await Deno.mkdir(join(dir.path, "portable"));
  await Deno.writeTextFile(join(dir.path, "portable", "climax.mjs"), "climax.mjs");
  const common = ["--from", dir.path, "--output", output];
  const targets = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"];
  for (const args of [[], ...targets.map((target) => [target])]) {
    await ends(archive([...common, ...args]), { code: 0 });
  }
  const name = `climax-${manifest.version}`;
  assert.deepEqual([...Deno.readDirSync(output)].map((entry) => entry.name).toSorted(), [
    `${name}-portable.tar.gz`,
    `${name}-${targets[1]}.tar.gz`,
    `${name}-${targets[0]}.tar.gz`,
    `${name}.cdx.json`,
    `${name}.mjs`,
  ]);
  const packed = join(output, `${name}-${targets[1]}.tar.gz`);
  const listed = await run(["tar", "-tzf", packed]);
  assert.deepEqual(listed.stdout.trim().split("\n"), ["climax.exe", "LICENSE", "README.md"]);
});

Deno.test("build/archive.ts refuses a tag that is not the version's", async () => {
  const { code, stderr } = await archive([], { GITHUB_REF_NAME: "v0.0.0-other" });
  assert.notEqual(code, 0);
  assert.match(stderr, /The tag is v0\.0\.0-other/);
});
