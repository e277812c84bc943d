/** Calls that are sent together do what they do one after the other, in the order in which they were sent. */

import assert from "node:assert/strict";
import { programs } from "../_requirements.ts";
import { repository, say } from "../configs/_programs.ts";
import { envelope, send } from "../server/http/_server.ts";
import { startHttpProcess } from "./_http.ts";
import { startRaw } from "./_raw.ts";

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
  [write("a", "a\n"), add("a"), commit("a")],
  [edit("one", "1"), diff, commit("b", { files: ["README.md"] }), ["git_status", {}]],
  [edit("one", "1"), edit("two", "2"), add("README.md"), edit("three", "3"), commit("c"), diff],
  [read("README.md"), edit("one", "1"), read("README.md"), edit("1", "one"), read("README.md")],
  [write("a", "a\n"), ["files_move", { path: "a", to: "b" }], add("b"), commit("d"), read("b")],
  [["git_switch", { branch: "x", create: true }], write("a", "a\n"), add("a"), commit("e"), [
    "git_log",
    { format: "%s%d" },
  ]],
  [edit("one", "1"), ["git_stash_push", {}], diff, ["git_stash_pop", {}], diff],
  [add("README.md"), ["files_remove", { path: "README.md" }], commit("none"), ["git_status", {}]],
  [
    commit("h", { allow_empty: true }),
    ["git_tag", { name: "v1" }],
    commit("i", {
      allow_empty: true,
    }),
    ["git_log", { format: "%s%d" }],
    ["git_branch_create", { name: "y" }],
  ],
];

const ways: Readonly<Record<string, (folder: string) => Promise<Sender>>> = {
  stdio: async (folder) => {
    const server = await startRaw(["git", "files", "files-write"], { cwd: folder }).ready();
    return {
      send: (name, args) => server.call("climax_call", { tool_name: name, args }),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
  http: async (folder) => {
    const server = startHttpProcess(["git", "files", "files-write"], {}, folder);
    const url = await server.url();
    let id = 0;
    return {
      send: async (name, args) => {
        const params = {
          _meta: envelope,
          name: "climax_call",
          arguments: { tool_name: name, args },
        };
        const headers = {
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": params.name,
        };
        const message = { id: ++id, method: "tools/call", params };
        const { result } = await (await send(url, message, headers)).json();
        return { text: result.content[0].text };
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
  "a script": async (folder) => {
    const server = await startRaw(["git", "files", "files-write", "--scripts"], { cwd: folder })
      .ready();
    return {
      send: (name, args) => server.call("climax_call", { tool_name: name, args }),
      all: async (calls) => {
        const code = `return Promise.all(input.map(([name, args]) =>
          call(name, args).then(({ text }) => text, ({ message }) => message)))`;
        const args = { code, input: JSON.stringify(calls) };
        const { text } = await server.call("climax_call", { tool_name: "script_run", args });
        // A script gets the text alone, and a failure as an error
        const texts = JSON.parse(text) as string[];
        return texts.map((each) =>
          each === "" ? "(no output)" : each.replace(/^\w+ \{.*?\}: /, "")
        );
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};

interface Sender extends AsyncDisposable {
  send(name: string, args: object): Promise<{ readonly text: string }>;
  /** Makes all calls together. @default sends each before any answer */
  all?(calls: Calls): Promise<readonly string[]>;
}

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
    await using sender = await open(repo.path);
    for (const calls of rows) {
      await reset(repo.path);
      const together = await sender.all?.(calls) ??
        (await Promise.all(calls.map(([tool, args]) => sender.send(tool, args))))
          .map(({ text }) => text);
      await reset(repo.path);
      const single: string[] = [];
      for (const [tool, args] of calls) single.push((await sender.send(tool, args)).text);
      assert.deepEqual(lasting(together), lasting(single), JSON.stringify(calls));
    }
  });
}
