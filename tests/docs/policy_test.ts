/** The policies that docs/policy.md begins with do what the page says of them. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { loadConfigs } from "../../src/sources/command/load.ts";
import { climax, ends } from "../cli/commands/_climax.ts";
import { scratch } from "../e2e/_scratch.ts";
import { root } from "../_fixtures.ts";

const page = await Deno.readTextFile(join(root, "docs", "policy.md"));
const [readOnly, askFirst, oneFolder, noNetwork] = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)]
  .map(([, text]) => text!);

/** Runs climax with a policy in a folder that has the folder `docs`. */
async function under(policy: string, ...args: string[]) {
  await using dir = await scratch({ "policy.yaml": policy });
  await Deno.mkdir(join(dir.path, "docs"));
  const words = [...args, "--config", "git", "--policy", "policy.yaml"];
  return await climax(words, { cwd: dir.path, env: { PROJECT: dir.path } });
}

Deno.test("docs/policy.md, read only: the file and the bundled policy serve what reads", async () => {
  const list = async (policy: string) => {
    const { stdout } = await climax(["list", "git", "--policy", policy, "--json"]);
    return JSON.parse(stdout) as { name: string; effect: string }[];
  };
  const bundled = await list("readonly");
  assert.ok(bundled.length > 10 && bundled.every(({ effect }) => effect === "read"));
  assert.match((await under(readOnly!, "call", "git_commit", "message=x")).stdout, /Unknown tool/);
  assert.match((await under(readOnly!, "call", "git_status")).stdout, /not a git repository/);
});

Deno.test("docs/policy.md, ask first: what writes waits for a yes, what reads does not", async () => {
  await ends(under(askFirst!, "call", "git_commit", "message=x"), {
    stdout:
      /^Call not run yet: this tool requires confirmation by a person\nTell them: climax approve /,
  });
  assert.match((await under(askFirst!, "call", "git_status")).stdout, /not a git repository/);
});

Deno.test("docs/policy.md, one folder: other directories are refused", async () => {
  const inside = await under(oneFolder!, "call", "git_status", "directory=docs");
  assert.match(inside.stdout, /not a git repository/);
  for (const directory of [".", "..", "/"]) {
    const { code, stdout } = await under(
      oneFolder!,
      "call",
      "git_status",
      `directory=${directory}`,
    );
    assert.equal(code, 1);
    assert.match(stdout, /lies outside/, directory);
  }
  assert.match(
    (await under(oneFolder!, "call", "git_status")).stdout,
    /Missing required argument 'directory'/,
  );
});

Deno.test("docs/policy.md, no network: each call is a container without one", async () => {
  const { stdout } = await under(noNetwork!, "call", "git_status", "--dry-run", "--json");
  const { argv } = JSON.parse(stdout);
  assert.deepEqual(argv.slice(0, 3), ["docker", "run", "--rm"]);
  assert.ok(argv.join(" ").includes("--network none "), stdout);
});

Deno.test("docs/policy.md: policy explain prints what the page shows", async () => {
  const [, args, shown] = /^\$ climax (policy explain .*)\n([^$]*)^\$/m.exec(page)!;
  await ends(climax(args!.split(" ")), { stdout: shown! });
});

Deno.test("configs/README.md names all other paths of the bundled configs", async () => {
  const readme = await Deno.readTextFile(join(root, "configs", "README.md"));
  const { tools } = await loadConfigs([...bundledConfigs.keys()], () => "set");
  const args = tools.flatMap((tool) => tool.args);
  const paths = args.filter(({ limits }) => limits?.within !== undefined).map(({ name }) => name);
  const [, list] = /^Other paths of the bundled configs are called ([^;]*);/m.exec(readme)!;
  const named = list!.replaceAll(/\([^)]*\)/g, "").matchAll(/`(\w+)`/g).map(([, name]) => name);
  const others = new Set(paths).difference(new Set(["path", "directory"]));
  assert.deepEqual([...named].toSorted(), [...others].toSorted());
});
