/** Calls that are sent together do what they do one after the other, in the order in which they were sent. */

import assert from "node:assert/strict";
import { programs } from "../_requirements.ts";
import { repository, say } from "../configs/_programs.ts";
import { envelope, send } from "../server/http/_server.ts";
import { startHttpProcess } from "./_http.ts";
import { startReady } from "./_raw.ts";

type Calls = readonly (readonly [tool: string, args: Record<string, unknown>])[];

const write = (path: string, content: string) => ["files_write", { path, content }] as const;
const add = (...paths: string[]) => ["git_add", { paths }] as const;
const commit = (message: string, more = {}) => ["git_commit", { message, ...more }] as const;
const edit = (old: string, text: string) => {
  return ["files_edit", { path: "README.md", old, new: text }] as const;
};
const read = (path: string) => ["files_read", { path }] as const;
const diff = ["git_diff", {}] as const;

/** Each begins in a repository of one commit with README.md, its lines `one`, `two` and `three`. */
const rows: readonly Calls[] = [
  [write("a", "a\n"), add("a"), commit("f"), write("b", "b\n"), add("b"), commit("g")],
  [edit("one", "1"), edit("two", "2"), add("README.md"), edit("three", "3"), commit("c"), diff],
  [read("README.md"), edit("one", "1"), read("README.md"), edit("1", "one"), read("README.md")],
  [write("a", "a\n"), ["files_move", { path: "a", to: "b" }], add("b"), commit("d"), read("b")],
  [["git_switch", { branch: "x", create: true }], write("a", "a\n"), add("a"), commit("e"), [
    "git_log",
    { format: "%s%d" },
  ]],
  [edit("one", "1"), ["git_stash_push", {}], diff, ["git_stash_pop", {}], diff],
];

type Send = (name: string, args: object) => Promise<{ readonly text: string }>;

/** A server, a way to make a call, and one to make all together; else each is sent before any answer. */
type Way = readonly [server: AsyncDisposable, Send, all?: (calls: Calls) => Promise<string[]>];

async function overStdio(cwd: string, ...words: string[]) {
  const server = await startReady(["git", "files", "files-write", ...words], { cwd });
  const send: Send = (name, args) => server.call("climax_call", { tool_name: name, args });
  return [server, send] as const;
}

const ways: Readonly<Record<string, (folder: string) => Promise<Way>>> = {
  stdio: (folder) => overStdio(folder),
  http: async (folder) => {
    const server = startHttpProcess(["git", "files", "files-write"], {}, folder);
    const url = await server.url();
    const name = "climax_call";
    const method = "tools/call";
    const version = { "mcp-protocol-version": "2026-07-28" };
    const headers = { ...version, "mcp-method": method, "mcp-name": name };
    let id = 0;
    return [server, async (tool_name, args) => {
      const params = { _meta: envelope, name, arguments: { tool_name, args } };
      const response = await send(url, { id: ++id, method, params }, headers);
      return { text: (await response.json()).result.content[0].text };
    }];
  },
  "a script": async (folder) => {
    const [server, send] = await overStdio(folder, "--scripts");
    const code = `return Promise.all(input.map(([name, args]) =>
      call(name, args).then(({ text }) => text, ({ message }) => message)))`;
    return [server, send, async (calls) => {
      const { text } = await send("script_run", { code, input: JSON.stringify(calls) });
      // A script gets the text alone, and a failure as an error
      return (JSON.parse(text) as string[]).map((each) => {
        return each === "" ? "(no output)" : each.replace(/^\w+ \{.*?\}: /, "");
      });
    }];
  },
};

const git = await programs({ git: ["--version"], perl: ["-v"] });

/** Makes the repository what it was after its first commit. */
async function reset(folder: string): Promise<void> {
  const refs = (await say(["git", "for-each-ref", "--format=%(refname)"], folder))!.text.split(
    "\n",
  );
  for (
    const words of [
      ["checkout", "--quiet", "--force", "main"],
      ["reset", "--quiet", "--hard", "start"],
      ["clean", "-fdq"],
      ["stash", "clear"],
      ...refs.filter((ref) => !/^$|\/(?:main|start|stash)$/.test(ref))
        .map((ref) => ["update-ref", "-d", ref]),
    ]
  ) {
    const said = await say(["git", ...words], folder);
    assert.equal(said?.code, 0, said?.text);
  }
}

/** Removes what differs from one run to the next, and the tools that are named after a failure. */
function lasting(texts: readonly string[]): string[] {
  return texts.map((text) =>
    text.replaceAll(/\b[0-9a-f]{7,40}\b/g, "<hash>").replace(/\s*\[tools for.*$/, "").trimEnd()
  );
}

for (const [name, open] of Object.entries(ways)) {
  git.test(`calls that are sent together keep their order: ${name}`, async () => {
    await using repo = await repository();
    await say(["git", "tag", "start"], repo.path);
    const [server, send, all] = await open(repo.path);
    await using _ = server;
    for (const calls of rows) {
      await reset(repo.path);
      const together = await all?.(calls) ??
        (await Promise.all(calls.map(([tool, args]) => send(tool, args))))
          .map(({ text }) => text);
      await reset(repo.path);
      const single: string[] = [];
      for (const [tool, args] of calls) single.push((await send(tool, args)).text);
      assert.deepEqual(lasting(together), lasting(single), JSON.stringify(calls));
    }
  });
}

for (const name of ["stdio", "http"]) {
  git.test(`changes sent together with one that failed are not made: ${name}`, async () => {
    await using repo = await repository();
    const [server, send] = await ways[name]!(repo.path);
    await using _ = server;
    await send(...write("staged", "s\n"));
    await send(...add("staged"));
    for (const failing of [add("none"), ["git_ad", {}], ["git_add", { none: 1 }]] as const) {
      const [failed] = failing;
      const calls = [failing, write("a", "a\n"), commit("a"), read("README.md")] as const;
      const texts = await Promise.all(calls.map(async ([tool, args]) => {
        return (await send(tool, args)).text.split("\n")[0];
      }));
      const refused = `Call not made: ${failed}, which was sent before it, failed`;
      assert.deepEqual(texts.slice(1), [refused, refused, "one"]);
    }
    assert.match((await send(...commit("later"))).text, /later/);
  });
}
