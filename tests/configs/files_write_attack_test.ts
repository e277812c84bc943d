/** The tools of files-write do what they say, whole or not at all, and nothing outside of the folder or where it is refused. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { programs } from "../_requirements.ts";
import { sandboxed } from "../_sandbox.ts";
import { ground } from "./_ground.ts";

const { test } = await programs({ perl: ["-v"] });

type Row = readonly [tool: string, args: Record<string, unknown>, answer: RegExp];

const files = {
  "a.txt": "one\ntwo\ntwo",
  "dos.txt": "one\r\ntwo\r\n",
  "binary": "a\0b",
  "sub/b.txt": "b\n",
  ".git/config": "",
  "-dash": "dash\n",
};

const rows: readonly Row[] = [
  [
    "files_write",
    { path: "new.txt", content: "x\n" },
    /^--- \/dev\/null\n\+\+\+ b\/new\.txt\n[^]*\+x$/,
  ],
  ["files_write", { path: "new.txt", content: "y\n" }, /is there already: set overwrite/],
  ["files_write", { path: "new.txt", content: "y\n", overwrite: true, dry_run: true }, /-x\n\+y/],
  ["files_edit", { path: "new.txt", old: "y", new: "z" }, /the old text is not in it/],
  ["files_write", { path: "new.txt", content: "y\n", overwrite: true }, /-x\n\+y/],
  ["files_edit", { path: "new.txt", old: "y" }, /-y\n\+$/],
  ["files_write", { path: "none/new.txt", content: "" }, /files_mkdir creates one/],
  ["files_write", { path: "sub", content: "" }, /is no file/],
  ["files_edit", { path: "a.txt", old: "two", new: "2" }, /in it 2 times/],
  ["files_edit", { path: "a.txt", old: "one\ntwo", new: "$1\\n" }, /-one\n-two\n\+\$1\\n\n two/],
  ["files_edit", { path: "a.txt", old: "\ntwo", new: "\nend" }, /No newline at end of file/],
  ["files_edit", { path: "dos.txt", old: "one\ntwo", new: "1\n2" }, /\+1\r?\n\+2/],
  ["files_edit", { path: "binary", old: "a", new: "c" }, /is binary/],
  ["files_edit", { path: "big", old: "a", new: "c" }, /over 10 MiB/],
  ["files_edit", { path: "none", old: "a", new: "c" }, /files_write creates it/],
  ["files_edit", { path: "-dash", old: "dash", new: "--" }, /\+--$/],
  ["files_edit", { path: "inside", old: "b", new: "c" }, /is a link/],
  ["files_edit", { path: "run.sh", old: "a", new: "b" }, /\+b/],
  ["files_mkdir", { path: ["x/y", "z"] }, /created directory 'x\/y'/],
  ["files_move", { source: "sub/b.txt", destination: "x/y" }, /renamed 'sub\/b\.txt'/],
  ["files_copy", { source: "x/y/b.txt", destination: "c.txt" }, /'x\/y\/b\.txt' -> 'c\.txt'/],
  ["files_copy", { source: "x/y/b.txt", destination: "a.txt" }, /no output/],
  ["files_remove", { path: ["c.txt", "z", "inside"] }, /removed 'c\.txt'\nremoved directory 'z'/],
  ["files_remove", { path: "x" }, /not empty/],
];

/** Where nothing is written, moved or removed, and what a refusal says. */
const refused = [
  ...["../beside.txt", "/tmp/beside.txt", "~/.bashrc", "outside/new.txt", "outside"],
  ...[".git/hooks/pre-commit", ".GIT/config", "sub/.git/config", ".env", "sub/.env.local"],
  ...[".climax/own.yaml", "climax.json", ".mcp.json", "climax.lock.json", ".vscode/tasks.json"],
  ...["node_modules/a.js", ".venv/bin/python", ".husky/pre-commit", ".bashrc", ".envrc", "id_rsa"],
  ...[".cursor/mcp.json", ".claude/settings.json", ".local/bin/git", "key.pem", ".npmrc"],
  ...["mise.local.toml", ".mise/config.toml"],
];

for (const held of [false, true]) {
  test(
    `files-write does what it says and stays inside${held ? ", in a sandbox" : ""}`,
    async () => {
      if (held && sandboxed.ignore) return;
      await using place = await ground(
        held ? ["files-write", "--sandbox"] : ["files-write"],
        files,
      );
      const at = (name: string) => join(place.work, name);
      const outside = join(place.work, "..", "beside");
      await Deno.mkdir(outside);
      await Deno.symlink(outside, at("outside"));
      await Deno.symlink("sub/b.txt", at("inside"));
      await Deno.writeFile(at("big"), new Uint8Array(11 * 2 ** 20).fill(97));
      await Deno.writeTextFile(at("run.sh"), "a\n", { mode: 0o750 });
      const before = await tree(at(".git"));
      for (const path of refused) {
        const calls: readonly (readonly [string, Record<string, unknown>])[] = [
          ["files_write", { path, content: "x", overwrite: true }],
          ["files_edit", { path, old: "a", new: "b" }],
          ["files_mkdir", { path }],
          ["files_move", { source: "a.txt", destination: path }],
          ["files_move", { source: path, destination: "taken" }],
          ["files_copy", { source: "a.txt", destination: path }],
          ["files_copy", { source: path, destination: "taken" }],
          ...path === "outside" ? [] : [["files_remove", { path }] as const],
        ];
        for (const [tool, args] of calls) {
          const text = await place.call(tool, args);
          assert.match(text, /Argument validation failed|is a link/, `${tool} ${path}: ${text}`);
        }
      }
      for (const [tool, args, answer] of rows) {
        const text = await place.call(tool, args);
        assert.match(text, answer, `${tool} ${JSON.stringify(args)}: ${text}`);
      }
      assert.equal(await Deno.readTextFile(at("a.txt")), "$1\\n\nend");
      assert.equal(await Deno.readTextFile(at("dos.txt")), "1\r\n2\r\n");
      assert.equal((await Deno.stat(at("run.sh"))).mode! & 0o777, 0o750);
      // Every one of several at once finds what the others wrote
      const marks = Array.from({ length: 8 }, (_, index) => `<${index}>`);
      await Deno.writeTextFile(at("many"), marks.join("\n"));
      const edits = marks.map((old) =>
        place.call("files_edit", { path: "many", old, new: `${old}!` })
      );
      await Promise.all(edits);
      assert.equal(await Deno.readTextFile(at("many")), marks.map((mark) => `${mark}!`).join("\n"));
      // A folder that becomes a link while calls are under way
      await Deno.mkdir(at("swapped"));
      const writes = marks.map((_, index) => {
        return place.call("files_write", { path: `swapped/${index}`, content: "x" });
      });
      for (let turn = 0; turn < 200; turn++) {
        await Deno.rename(at("swapped"), at("real"));
        await Deno.symlink(outside, at("swapped"));
        await Deno.remove(at("swapped"));
        await Deno.rename(at("real"), at("swapped"));
      }
      await Promise.all(writes);
      assert.deepEqual([await tree(outside), await tree(at(".git"))], [[], before]);
      assert.deepEqual((await tree(place.work)).filter((name) => name.endsWith(".part")), []);
    },
  );
}

async function tree(path: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(path), ({ name }) => name)).toSorted();
}

test(
  "files-write changes and moves nothing that decides what runs, and no folder of it",
  async () => {
    const servers = {
      version: "1.0.0",
      llmProvider: { type: "anthropic", credentialSource: "env-var" },
      mcpServers: [{ name: "s", transport: "stdio", command: "/bin/sh", args: ["srv/server.sh"] }],
    };
    const decisive = [
      "conf/policy.txt",
      "conf/own.yaml",
      "srv/server.sh",
      "bin/own.sh",
      "bin/script.py",
      "conf/other.yaml",
      "list.json",
    ];
    const run = { name: "other_run", argv: ["bin/script.py"] };
    const other = { name: "other", command: "python3", tools: [run] };
    await using place = await ground(
      [
        ...["files-write", "pandoc", "./conf/own.yaml", "./conf/other.yaml"],
        ...["--policy", "conf/policy.txt", "--mcp", "list.json", "--audit", "log/audit.jsonl"],
      ],
      {
        "conf/policy.txt": "default: enabled\n",
        "conf/own.yaml": "name: own\ncommand: ./bin/own.sh\ntools: [{ name: own_run }]\n",
        "conf/other.yaml": JSON.stringify(other),
        "bin/script.py": "",
        "srv/server.sh": "exit 3\n",
        "bin/own.sh": "#!/bin/sh\n",
        "list.json": JSON.stringify(servers),
        "log/other": "",
      },
    );
    for (const path of decisive) {
      const said = await place.call("files_write", { path, content: "x", overwrite: true });
      assert.match(said, /lies in .*, which is never allowed/, path);
    }
    const output = decisive[0]!;
    assert.match(
      await place.call("pandoc_write", { text: "x", output }),
      /lies in .*never allowed/,
    );
    for (const source of ["conf", "./srv/", "bin/.", "log", "."]) {
      const said = await place.call("files_move", { source, destination: "moved" });
      assert.match(said, /holds .*, which is never allowed/, source);
    }
    assert.match(await place.call("files_write", { path: "srv/x", content: "x" }), /\+x/);
  },
);
