/** One list of what usually holds credentials: what sandboxes hide and what configs refuse. */

import assert from "node:assert/strict";
import { privateFolders, privateInHome, privateNames } from "../../src/exec/private_paths.ts";
import { loadConfigs } from "../../src/sources/command/load.ts";
import { connect } from "../e2e/_clients.ts";
import { place, sandboxed } from "../_sandbox.ts";
import { dirname, join } from "node:path";

const readers = ["files", "coreutils", "ripgrep", "jq", "pandoc", "sqlite3"];

const cat = {
  name: "cat",
  command: "cat",
  tools: [{ name: "cat_all", args: [{ name: "path", type: "array", positional: true }] }],
};

Deno.test("the bundled configs that read files refuse what a sandbox hides", async () => {
  const { tools, problems } = await loadConfigs(readers, () => undefined);
  assert.deepEqual(problems, []);
  const firstParts = privateInHome.filter((path) => !/^(?:snap|Library)/.test(path))
    .map((path) => path.split("/")[0]!);
  assert.deepEqual(firstParts.filter((name) => !privateNames.includes(name)), []);
  const paths = tools.flatMap((tool) => tool.args.map((arg) => ({ tool, arg })))
    .filter(({ tool, arg }) => arg.limits?.within !== undefined && tool.effect === "read");
  assert.deepEqual(new Set(paths.map(({ tool }) => tool.owner.name)).size, readers.length);
  for (const { tool, arg } of paths) {
    const never = arg.limits?.never ?? [];
    const missing = [...privateNames, ...privateFolders].filter((name) => !never.includes(name));
    assert.deepEqual(missing, [], `${tool.name} ${arg.name}`);
  }
  const fixed = tools.flatMap(({ name, args }) => {
    return args.flatMap((arg) => arg.name.startsWith("secret") ? [[name, arg.fixed]] : []);
  });
  assert.ok(fixed.length >= 5);
  for (const [name, value] of fixed) {
    assert.equal((value as readonly string[]).length, privateNames.length, String(name));
  }
});

sandboxed.test("a sandbox and the config files keep the same places from an agent", async () => {
  await using home = await place();
  const paths = privateInHome;
  for (const path of [...paths, ".of-no-list/agent", ".cache/open", "open.txt"]) {
    await Deno.mkdir(dirname(join(home.path, path)), { recursive: true });
    await Deno.writeTextFile(join(home.path, path), `# TOKEN-${path}\n`);
  }
  const work = join(home.path, "work");
  await Deno.mkdir(work);
  await Deno.writeTextFile(join(work, "cat.yaml"), JSON.stringify(cat));
  const env = { HOME: home.path };
  await using client = await connect(["./cat.yaml", "--sandbox"], { cwd: work, env });
  const read = async (path: string[]) => {
    return (await client.call("climax_call", { tool_name: "cat_all", args: { path } })).text;
  };
  assert.match(await read([join(home.path, "open.txt")]), /TOKEN-open/);
  assert.match(await read([join(home.path, ".cache/open")]), /TOKEN-.cache/);
  assert.doesNotMatch(await read([join(home.path, ".of-no-list/agent")]), /TOKEN/);
  assert.doesNotMatch(await read(paths.map((path) => join(home.path, path))), /TOKEN/);
  await using files = await connect(["files"], { cwd: home.path, env });
  for (const path of paths.filter((path) => !/^(?:snap|Library)/.test(path))) {
    const { text } = await files.call("climax_call", { tool_name: "files_read", args: { path } });
    assert.match(text, /never allowed/, path);
  }
  const { text } = await files.call("climax_call", {
    tool_name: "files_grep",
    args: { pattern: "TOKEN" },
  });
  assert.deepEqual(text.match(/TOKEN-[^\s"]*/g)?.toSorted(), [
    "TOKEN-.of-no-list/agent",
    "TOKEN-open.txt",
    "TOKEN-snap",
  ]);
});
