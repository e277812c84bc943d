/** A release has its names, pinned actions, and permissions no wider than a job needs. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { load } from "js-yaml";
import { npmProblem } from "../../build/_mcpb.ts";
import { notesOf, notesProblem } from "../../build/notes.ts";
import { denoVersion } from "../../build/_facts.ts";
import { commandOf, stepsOf } from "../../build/release.ts";
import { programs } from "../_requirements.ts";
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
    assert.deepEqual(tasks.filter((task) => !Object.hasOwn(manifest.tasks, task)), []);
  });
}

const release = load(new Map(texts).get("release.yml")!) as Workflow;

Deno.test("release.yml publishes after the tests, and after those of every binary", () => {
  assert.deepEqual(release.jobs["publish"]!.needs, ["test", "binary"]);
  for (const job of ["test", "binary"]) assert.equal(release.jobs[job]!.needs, "notes");
});

Deno.test("runners, Node.js, Deno and images are named by version or digest", async () => {
  for (const [, text] of texts) {
    for (const [name] of text.matchAll(/\b(?:ubuntu|macos|windows)-(?!msvc)[\w.-]+/g)) {
      assert.match(name, /^(?:ubuntu-24\.04(?:-arm)?|macos-15(?:-intel)?|windows-2022)$/);
    }
    for (const [, version] of text.matchAll(/node-version: (.*)/g)) {
      assert.match(version!, /^\d+\.\d+\.\d+$/);
    }
    for (const [, version] of text.matchAll(/deno@([\w.]+)/g)) assert.equal(version, denoVersion);
  }
  const files = ["Dockerfile", "deploy/compose.yaml", "deploy/kubernetes-state/valkey.yaml"];
  const pages = await Promise.all(files.map((file) => Deno.readTextFile(join(root, file))));
  const images = [...pages.join("\n").matchAll(/(?:^FROM(?: --\S+)?|image:) (\S+)/gm)]
    .map(([, image]) => image!).filter((image) => image !== "climax");
  assert.equal(images.length, 6);
  for (const image of images) {
    assert.match(image, /@sha256:[0-9a-f]{64}$|:(?:bin-)?\d+\.\d+\.\d+(?:-alpine)?$/);
  }
  assert.ok(images.includes(`denoland/deno:bin-${denoVersion}`));
});

Deno.test("a release with a file left out is not published", () => {
  const [step] = stepsOf(["files"]);
  assert.match(
    commandOf(step!, false)!,
    /task release-files --whole\n.* build\/smoke\.ts dist\/climax\.mjs$/,
  );
  assert.match(commandOf(step!, true)!, /task release-files --repository [^ ]+$/);
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

const readiness: [what: string, text: string, said: RegExp | undefined][] = [
  ["is ready", "## [Unreleased]\n\nLater.\n\n## [1.0.0] - 2026-01-31\n\n- A\n", undefined],
  ["has no [Unreleased]", "## [1.0.0] - 2026-01-31\n\n- A\n", undefined],
  ["has notes to move", "## [Unreleased]\n\n- B\n\n## [1.0.0] - 2026-01-31\n", /move them under/],
  ["has no date", "## [Unreleased]\n\n## [1.0.0] - not released yet\n\n- A\n", /write its date/],
];

for (const [what, text, said] of readiness) {
  Deno.test(`notesProblem() of a changelog that ${what}`, () => {
    const problem = notesProblem("1.0.0", text);
    if (said === undefined) assert.equal(problem, undefined);
    else assert.match(problem!, said);
  });
}

const dryRuns: [args: readonly string[], code: number, said: RegExp][] = [
  [["--dry-run", "draft", "publish"], 0, /^(?:left: .+\n){5,9}$/],
  [["--dry-run", "drafts"], 1, /There is no step 'drafts': expected notes, tests, /],
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

const npmErrors: [printed: string, isAbsent: boolean, said: RegExp][] = [
  ['{"error":{"code":"E404","summary":"Not Found"}}', true, /^npm has no a@1$/],
  ['{"error":{"code":"ETARGET","summary":"No matching version"}}', true, /^npm has no a@1$/],
  [
    '{"error":{"code":"ENOSPC","summary":"no space left"}}',
    false,
    /^npm could not fetch a@1: ENOSPC, no space/,
  ],
  ["", false, /^npm could not fetch a@1: no code, no reason$/],
];

for (const [printed, isAbsent, said] of npmErrors) {
  Deno.test(`npmProblem() of '${printed}' is '${said.source}'`, () => {
    const problem = npmProblem(printed, "a@1");
    assert.match(problem.text, said);
    assert.equal(problem.isAbsent, isAbsent);
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
    "--v8-flags=--min-semi-space-size=16,--invocation-count-for-maglev=200,--minimum-invocations-after-ic-update=200",
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
  const listed = await run(["tar", "-tzf", join(output, `${name}-${targets[1]}.tar.gz`)]);
  assert.deepEqual(listed.stdout.trim().split("\n"), ["climax.exe", "LICENSE", "README.md"]);
});

Deno.test("build/archive.ts refuses a tag that is not the version's", async () => {
  const { code, stderr } = await archive([], { GITHUB_REF_NAME: "v0.0.0-other" });
  assert.notEqual(code, 0);
  assert.match(stderr, /The tag is v0\.0\.0-other/);
});
