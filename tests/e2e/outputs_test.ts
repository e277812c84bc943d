/** A long output is cut at a line and stored, and its own client alone reads the rest. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { callerIn, clientsInModes, connect } from "./_clients.ts";
import { startRawFrom } from "./_raw.ts";
import { type Scratch, scratch } from "./_scratch.ts";
import { root } from "./_server.ts";
import { unix } from "../_requirements.ts";

const ignore = Deno.build.os === "windows";

const config = `
name: numbers
command: ""
tools:
  - { name: count, command: seq 1 200000, effect: read }
  - { name: few, command: seq 1 3, effect: read }
  - { name: list, command: cat list.json, working_dir: DIR, effect: read }
`;

/** A directory with a config that prints much. */
async function place(): Promise<Scratch & { readonly config: string }> {
  const dir = await scratch();
  const list = { items: Array.from({ length: 5000 }, (_, id) => ({ id, name: `pod-${id}` })) };
  await Deno.writeTextFile(join(dir.path, "list.json"), JSON.stringify(list, null, 2));
  const file = join(dir.path, "numbers.yaml");
  await Deno.writeTextFile(file, config.replace("DIR", dir.path));
  return Object.assign(dir, { config: file });
}

function idIn(text: string): string {
  const [, id] = /output_read \{"id": "(k\w+)", "from_line": \d+\}/.exec(text) ?? [];
  assert.notEqual(id, undefined, text.slice(0, 300));
  return id!;
}

for (const [what, connectWith, mode] of clientsInModes) {
  unix.test(`${what}, ${mode}: a long output is read on in`, async () => {
    await using dir = await place();
    await using tmp = await scratch();
    const words = mode === "classic" ? ["--classic", dir.config] : [dir.config];
    await using client = await connectWith(words, { env: { TMPDIR: tmp.path } });
    const call = callerIn(mode, client);
    // Nothing is kept, so there is nothing to read
    assert.equal((await client.list()).length, mode === "classic" ? 3 : 2);
    assert.match((await call("output_read", { id: "k1" })).text, /^Unknown tool: output_read/);
    assert.equal((await call("few")).text, "1\n2\n3");

    const { text, isError } = await call("count");
    assert.equal(isError, false);
    assert.ok(text.startsWith("1\n2\n") && text.endsWith("\n200000") && text.length < 60_000);
    const id = idIn(text);
    // Clients of 2026-07-28 go by the list they have, unless they subscribe
    if (!what.includes("2026")) {
      assert.equal((await client.list()).length, mode === "classic" ? 6 : 2);
    }
    assert.equal(
      (await call("output_read", { id, from_line: 100_000, lines: 2 })).text,
      `100000\n100001\n[lines 100000 to 100001 of 200,000; next: output_read {"id": "${id}", "from_line": 100002}]`,
    );
    const found = await call("output_search", { id, pattern: "^12345$", context: 0 });
    assert.equal(found.text, "12345: 12345\n[1 matching line]");

    const list = idIn((await call("list")).text);
    const names = await call("output_json", { id: list, path: "$.items[?@.id > 4997].name" });
    assert.equal(names.text, '"pod-4998"\n"pod-4999"\n[2 values]');
    // What is kept is in no file
    assert.deepEqual([...Deno.readDirSync(tmp.path)], []);
  });
}

Deno.test("without any right to write, outputs are kept", {
  ignore: ignore || Deno.env.get("CLIMAX_UNDER_TEST") !== undefined,
}, async () => {
  await using dir = await place();
  const permitted = ["--allow-read", "--allow-env", "--allow-run=seq,kill,ps"];
  const main = [join(root, "main.ts"), "run", dir.config];
  await using server = startRawFrom([Deno.execPath(), "run", "--no-prompt", ...permitted, ...main]);
  await server.initialize();
  idIn((await server.call("climax_call", { tool_name: "count" })).text);
});

unix.test("files and columns come back with their first blanks, and several with their names", async () => {
  await using dir = await scratch();
  const write = (name: string, text: string) => Deno.writeTextFile(join(dir.path, name), text);
  await write("cart.ts", "export function total() {\n  if (percent < 0) {\n    return 0;\n");
  await write("a: 1", "a: 1");
  await write("b.yaml", "\n  b: 1\n\n");
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    return new Deno.Command("git", { args: ["-C", dir.path, ...identity, ...args] }).output();
  };
  for (const args of [["init", "-q"], ["add", "."], ["commit", "-qm", "first"]]) await git(...args);
  await write(
    "cart.ts",
    "export function total() {\n  if (percent < 0 || !known) {\n    return 0;\n",
  );
  await using client = await connect(["git", "files"], { cwd: dir.path });
  const calls: readonly [tool: string, args: object, text: string][] = [
    [
      "files_lines",
      { path: "cart.ts", from: 2, to: 3 },
      "  if (percent < 0 || !known) {\n    return 0;",
    ],
    ["git_status", { short: true }, " M cart.ts"],
    ["files_read", { path: "b.yaml" }, "\n  b: 1\n"],
    [
      "files_read",
      { path: ["a: 1", "b.yaml"] },
      "==> a: 1 <==\na: 1\n==> b.yaml <==\n\n  b: 1\n",
    ],
    [
      "files_head",
      { path: ["a: 1", "b.yaml"], lines: 2 },
      "==> a: 1 <==\na: 1\n==> b.yaml <==\n\n  b: 1",
    ],
    [
      "files_tail",
      { path: ["a: 1", "b.yaml"], lines: 1 },
      "==> a: 1 <==\na: 1\n==> b.yaml <==\n",
    ],
  ];
  for (const [tool, args, text] of calls) {
    const answer = await callerIn("discovery", client)(tool, { ...args });
    assert.equal(answer.text, text, tool);
  }
});
