/** What is released: names, pinned actions, and permissions no wider than a job needs. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { load } from "js-yaml";
import { scratch } from "../e2e/_scratch.ts";
import { root } from "../e2e/_server.ts";
import { manifest, permissionsOf, run } from "./_build.ts";

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<
    Record<string, {
      readonly permissions?: object;
      readonly needs?: string;
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

Deno.test("release.yml publishes after every binary was started", () => {
  const { jobs } = load(new Map(texts).get("release.yml")!) as Workflow;
  assert.equal(jobs["publish"]!.needs, "binary");
  const commands = jobs["binary"]!.steps.flatMap(({ run }) => run ?? []).join("\n");
  assert.match(commands, /task compile\n.*task smoke\n.*task archive/);
});

Deno.test("release.yml shows a release after the npm package is published, and can be repeated", () => {
  const { jobs } = load(new Map(texts).get("release.yml")!) as Workflow;
  const commands = jobs["publish"]!.steps.flatMap(({ run }) => run ?? []).join("\n");
  assert.match(commands, /gh release create .*--draft [^]*npm publish [^]*--draft=false$/);
  // What an earlier run has done is no reason to fail
  assert.match(commands, /gh release view [^\n]*\|\|\n *gh release create /);
  assert.match(commands, /npm view [^\n]*\|\|\n *npm publish /);
});

Deno.test("the Dockerfile starts the portable form as it starts itself, and not as root", async () => {
  const text = await Deno.readTextFile(join(root, "Dockerfile"));
  assert.match(text, /^USER nonroot$/m);
  const [, entry] = /^ENTRYPOINT (\[.*\])$/m.exec(text)!;
  const [, ...args] = JSON.parse(entry!);
  const flags = [
    "--no-config",
    "--no-prompt",
    "--no-remote",
    "--no-npm",
    ...permissionsOf("portable"),
  ];
  assert.deepEqual(args, ["run", ...flags, "/usr/local/lib/climax.mjs"]);
});

async function archive(args: readonly string[], env: Record<string, string> = {}) {
  const own = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  const script = join("build", "archive.ts");
  return await run([Deno.execPath(), "run", ...own, script, ...args], {
    cwd: root,
    env: { GITHUB_REF_NAME: "", ...env },
  });
}

Deno.test("build/archive.ts names what it packs after the version", async () => {
  await using dir = await scratch();
  const output = join(dir.path, "release");
  for (const name of ["climax", "climax.exe", "climax.mjs"]) {
    await Deno.writeTextFile(join(dir.path, name), name);
  }
  const common = ["--from", dir.path, "--output", output];
  const targets = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"];
  for (const args of [[], ...targets.map((target) => [target])]) {
    const { code, stderr } = await archive([...common, ...args]);
    assert.equal(code, 0, stderr);
  }
  const name = `climax-${manifest.version}`;
  assert.deepEqual([...Deno.readDirSync(output)].map((entry) => entry.name).toSorted(), [
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
