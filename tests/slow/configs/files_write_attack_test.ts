/** The tools of files-write do what they say, whole or not at all, and nothing outside of the folder or where it is refused. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { programs } from "../../_requirements.ts";
import { sandboxed } from "../../_sandbox.ts";
import { ground } from "./_ground.ts";

const { test } = await programs({ perl: ["-v"] });

type Row = readonly [tool: string, args: Record<string, unknown>, answer: RegExp];

const files = {
  "a.txt": "one\ntwo\ntwo",
  "dos.txt": "one\r\ntwo\r\n",
  "binary": "a\0b",
  "sub/b.txt": "b\n",
  ".git/config": "b",
  "guarded/sub/.env": "b",
  "guarded/sub/node_modules/b.js": "b",
  "-dash": "dash\n",
  "blank ü/c.txt": "c\n",
};

const rows: readonly Row[] = [
  ["files_write", { path: "new.txt", content: "x\n", dry_run: true }, /^--- \/dev\/null\n[^]*\+x$/],
  ["files_write", { path: "new.txt", content: "x\n" }, /^created 'new\.txt': 1 line, 2 bytes$/],
  ["files_write", { path: "new.txt", content: "y\n" }, /is there already: set overwrite/],
  ["files_write", { path: "new.txt", content: "y\n", overwrite: true, dry_run: true }, /-x\n\+y/],
  ["files_edit", { path: "new.txt", old: "y", new: "z" }, /the old text is not in it/],
  ["files_write", { path: "new.txt", content: "y\n", overwrite: true }, /-x\n\+y/],
  ["files_edit", { path: "new.txt", old: "y" }, /-y\n\+$/],
  ["files_edit", { path: "none/new.txt", old: "a" }, /files_mkdir creates one/],
  ["files_write", { path: "made/in/new.txt", content: "", dry_run: true }, /^an empty file/],
  ["files_remove", { path: "made" }, /No such file/],
  ["files_write", { path: "made/in/.env", content: "" }, /never allowed/],
  [
    "files_write",
    { path: "made/in/new.txt", content: "a" },
    /'made\/in'\ncreated .*: 1 line, 1 byte/,
  ],
  ["files_write", { path: "made/in/new.txt", content: "b\n", append: true }, /-a\n[^]*\+ab$/],
  [
    "files_write",
    { path: "made/in/new.txt", content: "c\n".repeat(99), overwrite: true },
    /(?:\+c\n){38}\.\.\. and 61 more lines of the difference, in all \+99 -1$/,
  ],
  ["files_remove", { path: ["made", "none"], recursive: true }, /nothing was removed/],
  [
    "files_remove",
    { path: "made", recursive: true, dry_run: true },
    /^removes .*with 1 file \(state [0-9a-f]{16}\)$/,
  ],
  ["files_remove", { path: "made", recursive: true }, /^removed directory 'made' with 1 file$/],
  ["files_remove", { path: "guarded", recursive: true }, /'guarded\/sub\/\.env' is in it/],
  [
    "files_replace",
    { path: ".", old: "b", new: "B", dry_run: true },
    /^sub\/b\.txt: 1\n1 in 1 file/,
  ],
  ["files_replace", { path: "sub", old: "b", new: "B", glob: "*.md" }, /^0 in 0 files replaced$/],
  ["files_replace", { path: "sub", old: "b", new: "bb" }, /^sub\/b\.txt: 1\n1 in 1 file replaced$/],
  ["files_replace", { path: "sub", old: "b", new: "c" }, /2 more are parts of longer words/],
  ["files_replace", { path: "sub", old: "bb", new: "b", whole_words: false }, /1 in 1 file/],
  ["files_replace", { path: "linked", old: "b", new: "c" }, /is a link/],
  [
    "files_edit",
    { edits: [{ path: "a.txt", old: "one", new: "1" }, { path: "sub/b.txt", old: "x" }] },
    /sub\/b\.txt: edit 2: the old text is not in it[^]*nothing was changed/,
  ],
  [
    "files_edit",
    {
      edits: [{ path: "a.txt", old: "one", new: "1 ü\u2028" }, {
        path: "sub/b.txt",
        old: "b",
        new: "c",
      }],
    },
    /\+1 ü[^]*\+c/,
  ],
  [
    "files_edit",
    { path: ["a.txt", "./a.txt"], edits: [{ old: "1 ü\u2028", new: "one" }] },
    /\+one/,
  ],
  ["files_edit", { path: "sub/b.txt", old: "c", new: "b", count: 2 }, /in it 1 time, not 2/],
  ["files_edit", { path: "sub/b.txt", old: "c", new: "b" }, /\+b/],
  [
    "files_edit",
    { path: "a.txt", edits: [{ path: "sub/b.txt", old: "b", new: "c" }] },
    /is no path/,
  ],
  ["files_edit", { path: "a.txt", edits: "[{" }, /are no JSON/],
  ["files_edit", { path: "a.txt", insert_line: 9, new: "x" }, /has 3 lines, and none after line 9/],
  ["files_edit", { path: "a.txt", insert_line: 1, new: "two", dry_run: true }, /\+two\n two/],
  [
    "files_edit",
    { path: "a.txt", old: "two", new: "2", replace_all: true, dry_run: true },
    /\+2\n\+2/,
  ],
  [
    "files_edit",
    { path: "a.txt", old: "one  two", new: "2" },
    /with other white space it is at line 1/,
  ],
  ["files_write", { path: "sub", content: "" }, /is no file/],
  ["files_edit", { path: "a.txt", old: "two", new: "2" }, /in it 2 times, at lines 2, 3/],
  ["files_edit", { path: "a.txt", old: "one\ntwo", new: "$1\\n" }, /-one\n-two\n\+\$1\\n\n two/],
  ["files_edit", { path: "a.txt", old: "\ntwo", new: "\nend" }, /No newline at end of file/],
  ["files_edit", { path: "dos.txt", old: "one\ntwo", new: "1\n2" }, /\+1\r?\n\+2/],
  ["files_edit", { path: "binary", old: "a", new: "c" }, /is binary/],
  ["files_write", { path: "binary", content: "c", overwrite: true }, /is binary/],
  ["files_edit", { path: "big", old: "a", new: "c" }, /over 10 MiB/],
  ["files_edit", { path: "none", old: "a", new: "c" }, /files_write creates it/],
  ["files_edit", { path: "-dash", old: "dash", new: "--" }, /\+--$/],
  ["files_edit", { path: "inside", old: "b", new: "c" }, /is a link/],
  ["files_edit", { path: "run.sh", old: "a", new: "b" }, /\+b/],
  [
    "files_edit",
    { directory: "blank ü", path: "./c.txt", old: "c", new: "d" },
    /^--- a\/blank ü\/c\.txt\n\+\+\+ b\/blank ü\/c\.txt\n/,
  ],
  ["files_write", { directory: "sub", path: "../out.txt", content: "" }, /lies outside/],
  [
    "files_write",
    { path: "linked/new.txt", content: "" },
    /'linked' is a link, which leads to 'sub'/,
  ],
  [
    "files_mkdir",
    { path: ["linked/new", "sub/inner"] },
    /created directory 'sub\/inner'[^]*is a link/,
  ],
  ["files_mkdir", { path: ["a.txt/new"] }, /Not a directory/],
  ["files_move", { source: "inside", destination: "moved" }, /'inside' is a link/],
  ["files_copy", { source: "inside", destination: "moved" }, /'inside' is a link/],
  ["files_copy", { source: "a.txt", destination: "inside" }, /'inside' is a link/],
  ["files_copy", { source: "sub", destination: "moved" }, /is a directory/],
  ["files_move", { source: "sub", destination: "sub/inner" }, /cannot be moved: Invalid argument/],
  ["files_move", { source: "sub/inner", destination: "." }, /renamed 'sub\/inner' -> 'inner'/],
  ["files_move", { source: "links", destination: "other" }, /has a link in it, 'links\/to'/],
  ["files_mkdir", { path: ["x/y", "z"] }, /created directory 'x\/y'/],
  ["files_move", { source: "sub/b.txt", destination: "x/y" }, /renamed 'sub\/b\.txt'/],
  ["files_copy", { source: "x/y/b.txt", destination: "c.txt" }, /'x\/y\/b\.txt' -> 'c\.txt'/],
  ["files_copy", { source: "x/y/b.txt", destination: "a.txt" }, /is there already/],
  ["files_remove", { path: ["c.txt", "z", "inside"] }, /removed 'c\.txt'\nremoved directory 'z'/],
  ["files_remove", { path: ["linked"] }, /removed 'linked'/],
  ["files_remove", { path: "x" }, /has 1 file in it: recursive/],
];

/** Paths at which nothing may be written, moved or removed, with the words of the refusal. */
const refused = [
  ...["../beside.txt", "/tmp/beside.txt", "~/.bashrc", "outside/new.txt", "outside"],
  ...[".git/hooks/pre-commit", ".GIT/config", "sub/.git/config", ".env", "sub/.env.local"],
  ...[".climax/own.yaml", "climax.json", ".mcp.json", ".vscode/tasks.json"],
  ...["node_modules/a.js", ".venv/bin/python", ".husky/pre-commit", ".bashrc", ".envrc", "id_rsa"],
  ...[".cursor/mcp.json", ".claude/settings.json", ".local/bin/git", "key.pem", ".npmrc"],
  ...["mise.local.toml", ".mise/config.toml"],
];

for (const isSandboxed of [false, true]) {
  test(
    `files-write does what it says and stays inside${isSandboxed ? ", in a sandbox" : ""}`,
    async () => {
      if (isSandboxed && sandboxed.ignore) return;
      await using place = await ground(
        isSandboxed ? ["files-write", "--sandbox"] : ["files-write"],
        files,
      );
      const at = (name: string) => join(place.work, name);
      const outside = join(place.work, "..", "beside");
      await Deno.mkdir(outside);
      await Deno.symlink(outside, at("outside"));
      await Deno.symlink("sub/b.txt", at("inside"));
      await Deno.symlink("sub", at("linked"));
      await Deno.mkdir(at("links"));
      await Deno.symlink("..", at("links/to"));
      await Deno.writeFile(at("big"), new Uint8Array(11 * 2 ** 20).fill(97));
      await Deno.writeTextFile(at("run.sh"), "a\n", { mode: 0o750 });
      const before = await tree(at(".git"));
      for (const path of refused) {
        const calls: readonly (readonly [string, Record<string, unknown>])[] = [
          ["files_write", { path, content: "x", overwrite: true }],
          ["files_write", { path, content: "x", append: true }],
          ["files_edit", { path, old: "a", new: "b" }],
          ["files_edit", { edits: [{ path: "a.txt", old: "one" }, { file: path, old: "a" }] }],
          ["files_replace", { path, old: "a", new: "b" }],
          ["files_mkdir", { path }],
          ["files_move", { source: "a.txt", destination: path }],
          ["files_move", { source: path, destination: "taken" }],
          ["files_copy", { source: "a.txt", destination: path }],
          ["files_copy", { source: path, destination: "taken" }],
          ...path === "outside" ? [] : [["files_remove", { path, recursive: true }] as const],
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
      ...["conf/policy.txt", "conf/own.yaml", "srv/server.sh", "bin/own.sh", "bin/script.py"],
      ...["conf/other.yaml", "list.json"],
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
    assert.match(await place.call("files_write", { path: "srv/x", content: "x" }), /^created/);
  },
);

/** Exchanges a folder and a link, and a file and a link, until it is ended. */
const exchange = `
  for (;;) {
    for my $name ("dd", "sub/last") {
      rename $name, "$name.real"; rename "$name.link", $name; select undef, undef, undef, 0.0005;
      rename $name, "$name.link"; rename "$name.real", $name; select undef, undef, undef, 0.0005;
    }
  }`;

test("files-write leaves the folder for no link that is put there meanwhile", async () => {
  await using place = await ground(["files-write"], {
    "dd/keep": "inside\n",
    "sub/last": "inside\n",
    "own": "inside\n",
  });
  const at = (name: string) => join(place.work, name);
  const outside = join(place.work, "..", "beside");
  await Deno.mkdir(outside);
  for (const name of ["keep", "last"]) {
    await Deno.writeTextFile(join(outside, name), "OUTSIDE inside\n");
  }
  await Deno.symlink("../beside", at("dd.link"));
  await Deno.symlink("../../beside/last", at("sub/last.link"));
  const child = new Deno.Command("perl", { args: ["-e", exchange], cwd: place.work }).spawn();
  let said = "";
  let done = 0;
  try {
    for (let turn = 0; turn < 25; turn++) {
      const answers = await Promise.all([
        place.call("files_write", { directory: "dd", path: `a${turn}`, content: "x" }),
        place.call("files_write", { path: "dd/keep", content: `${turn}`, overwrite: true }),
        place.call("files_write", { path: "sub/last", content: `${turn} inside`, overwrite: true }),
        place.call("files_edit", { path: "sub/last", old: "inside", new: "inside!" }),
        place.call("files_mkdir", { path: [`dd/m${turn}/n`] }),
        place.call("files_copy", { source: "own", destination: `dd/c${turn}` }),
        place.call("files_copy", { source: "dd/keep", destination: `taken${turn}` }),
        place.call("files_copy", { source: "sub/last", destination: `last${turn}` }),
        place.call("files_move", { source: "dd/keep", destination: `moved${turn}` }),
        place.call("files_remove", { path: ["dd/keep"] }),
      ]);
      done += answers.filter((text) => /^(?:---|created|'|renamed|removed)/.test(text)).length;
      said += answers.join("\n");
    }
  } finally {
    child.kill();
    await child.status;
  }
  assert.ok(done > 5, said);
  assert.doesNotMatch(said, /OUTSIDE/);
  assert.deepEqual(await tree(outside), ["keep", "last"]);
  for (const name of ["keep", "last"]) {
    assert.equal(await Deno.readTextFile(join(outside, name)), "OUTSIDE inside\n");
  }
  for (const name of await tree(place.work)) {
    if (!/^(?:taken|last|moved)/.test(name)) continue;
    assert.ok(!(await Deno.lstat(at(name))).isSymlink, name);
    assert.doesNotMatch(await Deno.readTextFile(at(name)), /OUTSIDE/, name);
  }
});

test("files-write waits for no pipe, and takes no other name of what it refuses", async () => {
  await using place = await ground(["files-write"], { "a.txt": "a\n" });
  const at = (name: string) => join(place.work, name);
  const make =
    `use IO::Socket::UNIX; use POSIX; mkfifo("fifo", 0600); IO::Socket::UNIX->new(Local => "socket", Listen => 1)`;
  await new Deno.Command("perl", { args: ["-e", make], cwd: place.work }).output();
  for (const path of ["fifo", "socket"]) {
    for (
      const [tool, args] of [
        ["files_write", { path, content: "x", overwrite: true }],
        ["files_edit", { path, old: "a", new: "b" }],
        ["files_copy", { source: path, destination: "b.txt" }],
        ["files_move", { source: path, destination: "b.txt" }],
      ] as const
    ) {
      assert.match(await place.call(tool, args), /is no file/, `${tool} ${path}`);
    }
  }
  // On a file system without letter case `.ENV` is the same file
  await Deno.link(at(".env"), at("other"));
  const said = await place.call("files_copy", { source: "other", destination: "b.txt" });
  assert.match(said, /'other' is '\.env', which is never allowed/);
  // Another name of a file keeps its text
  await Deno.link(at("a.txt"), join(place.work, "..", "hard"));
  await place.call("files_edit", { path: "a.txt", old: "a", new: "b" });
  assert.equal(await Deno.readTextFile(join(place.work, "..", "hard")), "a\n");
});

test("files-write makes no folder a repository, and changes none", async () => {
  const steps: readonly Row[] = [
    ["files_mkdir", { path: ["a/objects", "a/refs"] }, /created/],
    ["files_write", { path: "a/HEAD", content: "x" }, /would make its directory a repository/],
    ["files_write", { path: "HEAD", content: "x" }, /^created/],
    ["files_copy", { source: "HEAD", destination: "a" }, /would make/],
    ["files_move", { source: "HEAD", destination: "a/HEAD" }, /would make/],
    ["files_write", { path: "commondir", content: "x" }, /would make/],
    [
      "files_mkdir",
      { path: ["refs/heads", "objects"] },
      /created directory 'refs\/heads'[^]*would make/,
    ],
    ["files_mkdir", { path: ["bare/worktree/x"] }, /created directory/],
    ["files_write", { path: "bare/config", content: "x" }, /part of a repository/],
    ["files_mkdir", { path: ["bare/hooks"] }, /part of a repository/],
    ["files_write", { path: "bare/worktree/main.c", content: "x" }, /^created/],
    ["files_move", { source: "bare", destination: "moved" }, /is a repository/],
  ];
  const bare = { "bare/HEAD": "ref: refs/heads/main\n", "bare/objects/x": "", "bare/refs/x": "" };
  await using place = await ground(["files-write"], {
    ...bare,
    "bare/worktree/.git": "gitdir: ..\n",
  });
  for (const [tool, args, answer] of steps) {
    const text = await place.call(tool, args);
    assert.match(text, answer, `${tool} ${JSON.stringify(args)}: ${text}`);
  }
});

test("git_apply takes what files_edit shows", async () => {
  await using place = await ground(["files-write", "git"], { "src/deep ü/a.txt": "one\n" });
  await place.call("git_init");
  await place.call("git_add", { all: true });
  const args = { directory: "src", path: "deep ü/a.txt", old: "one", new: "two", dry_run: true };
  const patch = await place.call("files_edit", args);
  const said = await place.call("git_apply", { patch: `${patch.trimEnd()}\n` });
  assert.equal(await Deno.readTextFile(join(place.work, "src/deep ü/a.txt")), "two\n", said);
});

test("a policy holds files-write in a folder by the text of a path", async () => {
  const args = { path: { within: "./src" }, directory: { within: "." } };
  const policy = { default: "enabled", tools: { "files_*": { args } } };
  await using place = await ground(["files-write", "--policy", "../policy.yaml"], {
    "../policy.yaml": JSON.stringify(policy),
    "src/a.txt": "",
  });
  // A link that leads there may be a folder elsewhere when the program looks
  await Deno.symlink("src", join(place.work, "led"));
  for (
    const [args, answer] of [
      [{ path: "src/b.txt" }, /^created/],
      [{ path: "e.txt", directory: "src" }, /^created/],
      [{ path: join(place.work, "src/d.txt") }, /^created/],
      [{ path: "led/c.txt" }, /lies outside/],
      [{ path: "c.txt", directory: "led" }, /lies outside/],
      [{ path: "c.txt" }, /lies outside/],
    ] as const
  ) {
    const said = await place.call("files_write", { ...args, content: "x", overwrite: true });
    assert.match(said, answer, JSON.stringify(args));
  }
});
