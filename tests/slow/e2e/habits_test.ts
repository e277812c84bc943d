/**
 * Models call tools in many ways: each way with what runs, over git repositories, databases and servers as they are. Units of
 * `tests/call` have every form of a call and its words.
 */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { gitDaemon, programOf, repository, say } from "../../configs/_programs.ts";
import { needs } from "../../_requirements.ts";
import { configText, npmServer } from "../../_upstream.ts";
import { connect, type ConnectedClient } from "../../e2e/_clients.ts";
import { scratch } from "../../e2e/_scratch.ts";

const configs = ["git", "ripgrep", "sqlite3", "jq", "npm"];
const needed = ["git", "rg", "sqlite3", "jq", "npm"].filter((name) => !programOf(name));
const { ignore } = needs(needed.join(", "), needed.length === 0 && Deno.build.os !== "windows");

/** The outcome of a call. */
interface Outcome {
  /** Command lines that ran, or requests to servers, in order: none for a refused call. */
  readonly ran: readonly string[];
  readonly isError: boolean;
  /** Patterns of the texts, all of which match. */
  readonly says?: readonly RegExp[];
  /** Commands of git that prepare a fresh repository; `changed` writes a file. Rows without any change nothing. */
  readonly given?: readonly string[];
  /** Commands of git, and what they print afterwards. */
  readonly then?: Readonly<Record<string, string>>;
}

/** A habit, the tool and its arguments or all of what is sent, and the outcome. */
type Habit = readonly [habit: string, request: readonly [string, object] | object, Outcome];

type Details = Omit<Outcome, "ran" | "isError">;

const ran = (line: string, details: Details = {}): Outcome => {
  return { ran: [line], isError: false, ...details };
};
const refused = (says: readonly RegExp[], details: Details = {}): Outcome => {
  return { ran: [], says, isError: true, ...details };
};

/** Two stashes, of which the older one is `stash@{1}`. */
const twoStashes = ["changed", "stash push -m older", "changed", "stash push -m newer"];
const notPushed = {
  given: ["commit --allow-empty -m fourth"],
  then: { "log -1 --format=%s origin/main": "third\n" },
};

/** With git, ripgrep, sqlite3, jq and npm, scripts, and two MCP servers. */
const habits: readonly Habit[] = [
  [
    "one underscore after the server's name",
    ["memory_open_nodes", { names: ["Ann"] }],
    ran('memory open_nodes {"names":["Ann"]}'),
  ],
  [
    "the name of another client for a server's tool",
    ["mcp__memory__search_nodes", { query: "Ann" }],
    ran('memory search_nodes {"query":"Ann"}'),
  ],
  [
    "the tool of a server, without it",
    ["read_text_file", { path: "package.json" }],
    refused([/Did you mean: filesystem__read_text_file\b/]),
  ],
  [
    "`old_string` of an edit",
    ["filesystem__edit_file", { path: "main.ts", edits: [{ old_string: "one", new_string: "1" }] }],
    refused([/oldText/, /Takes: filesystem__edit_file\(path/]),
  ],
  [
    "`args.arguments`",
    ["git_stash_pop", { arguments: { stash: "stash@{1}" } }],
    ran("git stash pop stash@{1}", {
      given: twoStashes,
      then: { "stash list": "stash@{0}: On main: newer\n" },
    }),
  ],
  [
    "`from` and `to`",
    ["git_diff", { from: "main", to: "feature", name_only: true }],
    ran(
      "git diff --ignore-submodules=dirty --no-ext-diff --no-textconv --no-notes main..feature --name-only --",
      { says: [/^src\/feature\.ts$/m] },
    ),
  ],
  [
    "the branch to rebase",
    ["git_rebase", { upstream: "main", branch: "hotfix" }],
    ran("git rebase main hotfix", {
      given: [],
      then: { "log -1 --format=%s hotfix": "hotfix\n" },
    }),
  ],
  [
    "`branch` for a name",
    ["git_branch_delete", { branch: ["merged"] }],
    ran("git branch --delete merged", { given: [], then: { "branch --list merged": "" } }),
  ],
  [
    "the names that git's own MCP server has",
    ["git_create_branch", { repo_path: ".", branch_name: "topic", base_branch: "main" }],
    ran("git branch topic main", { given: [] }),
  ],
  [
    "a command of git with five tools, of which it means one",
    ["git_stash", {}],
    ran("git stash push --", { given: ["changed"], then: { "status --short": "" } }),
  ],
  ["a command of git without a tool", ["git_gc", {}], refused([/^Unknown tool: git_gc/])],
  [
    "`dry_run` of a tool that has none",
    ["git_restore", { path: ["main.ts"], dry_run: true }],
    refused([/Unknown argument 'dry_run'[^]*Takes: git_restore\(.*\bpath: /], {
      given: ["changed"],
      then: { "status --short": " M main.ts\n" },
    }),
  ],
  [
    "`dry_run` beside the name, of a tool that has it",
    { tool_name: "git_push", dry_run: true },
    ran("git push origin --dry-run", notPushed),
  ],
  ["`force` of a push", ["git_push", { force: true }], refused([/'force'/, /takes: /i], notPushed)],
  [
    "a short option as an argument",
    ["git_commit", { "-m": "fourth" }],
    ran("git commit --message=fourth", { given: ["changed", "add main.ts"] }),
  ],
  [
    "a short option of a search, by the program's name",
    ["grep", { pattern: "FIVE", "-i": true }],
    ran("rg --regexp=FIVE --ignore-case --max-columns=500 --line-number --heading -- ."),
  ],
  ["another folder", ["git_log", { directory: ".." }], refused([/outside FOLDER/])],
  [
    "a command of npm that nothing holds",
    ["npm_run", { script: "test" }],
    refused([/^Tool 'npm_run' is withheld.*\nAsk a person .*--sandbox/]),
  ],
  [
    "a JSON value for JSON text",
    ["jq_query", { filter: ".[0].a", input: [{ a: 1 }] }],
    ran("jq (.[0].a\n)", { says: [/^1$/m] }),
  ],
  [
    "`query` for SQL",
    ["sqlite3_query", { database: "data.db", query: "SELECT name FROM people" }],
    ran("sqlite3", { says: [/Ann/] }),
  ],
  [
    "a statement that writes",
    ["sqlite3_query", { database: "data.db", sql: "INSERT INTO people VALUES ('Bob')" }],
    refused([/SELECT, WITH, VALUES or PRAGMA/, /Takes: sqlite3_query\(database/]),
  ],
  [
    "a search without a match in a script",
    ["script_run", {
      code: 'const {text} = await call("rg_count", {pattern: "nowhere"}); return "found: " + text',
    }],
    {
      ran: ["rg --count-matches --regexp=nowhere -- .", "script_run"],
      isError: false,
      says: [/^found: /],
    },
  ],
];

Deno.test("habits of models, each with what runs", { ignore }, async (t) => {
  await using place = await scratch();
  await Deno.mkdir(join(place.path, "served"));
  await using daemon = await gitDaemon(join(place.path, "served"));
  const [pristine, repo] = await project(place.path, daemon.url);
  const audit = join(place.path, "audit.jsonl");
  const servers = join(place.path, "servers.json");
  const words = [...configs, "--audit", audit, "--scripts", "--mcp", servers];
  await using client = await connect(words, { cwd: repo });
  let isFresh = true;
  for (const [habit, request, outcome] of habits) {
    await t.step(habit, async () => {
      if (!isFresh) await refresh(pristine, repo);
      isFresh = outcome.given === undefined;
      for (const command of outcome.given ?? []) await prepare(repo, command);
      await judge({ client, repo, audit }, request, outcome);
    });
  }
});

interface Ground {
  readonly client: ConnectedClient;
  readonly repo: string;
  readonly audit: string;
}

async function judge({ client, repo, audit }: Ground, request: Habit[1], outcome: Outcome) {
  const before = entriesIn(audit).length;
  const sent = Array.isArray(request) ? { tool_name: request[0], args: request[1] } : request;
  const { text, isError, beside = [] } = await client.call("climax_call", { ...sent });
  const seen = [text, ...beside].join("\n\n");
  const ran = entriesIn(audit).slice(before).filter(({ decision, ending }) => {
    return decision === "allowed" && !ending.startsWith("not started");
  });
  assert.deepEqual(ran.map(lineOf), outcome.ran, seen);
  assert.equal(isError, outcome.isError, seen);
  for (const expected of outcome.says ?? []) {
    assert.match(seen, RegExp(expected.source.replace("FOLDER", repo), expected.flags));
  }
  for (const [command, printed] of Object.entries(outcome.then ?? {})) {
    assert.equal(await git(repo, command), printed, command);
  }
}

// deno-lint-ignore no-explicit-any
function entriesIn(file: string): any[] {
  return Deno.readTextFileSync(file).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Returns what has run by an entry of the audit log, without flags that each call of its program has. */
// deno-lint-ignore no-explicit-any
function lineOf({ tool, argv, server, arguments: args }: any): string {
  if (server !== undefined) return [server, tool.split("__")[1], JSON.stringify(args)].join(" ");
  if (argv === undefined) return tool;
  if (argv[0] === "sqlite3") return argv[0];
  const fixed = /^--(?:no-config|color=never|iglob=.*)$|^:\(exclude/;
  return argv.filter((word: string) => !fixed.test(word)).join(" ");
}

/** A repository with all that the habits take, and a copy of it that stays as it is. */
async function project(place: string, url: string): Promise<[pristine: string, repo: string]> {
  await using made = await repository();
  const [pristine, repo] = [join(place, "pristine"), join(place, "repo")];
  const write = (path: string, text: string) => Deno.writeTextFile(join(made.path, path), text);
  await Deno.mkdir(join(made.path, "src"));
  await write("main.ts", "one\ntwo\nthree\nfour\nfive\n");
  await write("src/app.ts", "export const app = 1;\n");
  await write("data.json", '{"a": 1}\n');
  await write("package.json", '{"name": "habits"}\n');
  await say(
    ["sqlite3", "data.db", "CREATE TABLE people (name); INSERT INTO people VALUES ('Ann')"],
    made.path,
  );
  const run = async (...commands: string[]) => {
    for (const command of commands) await git(made.path, command);
  };
  await run("add .", "commit -q -m second", "branch merged", "tag v1.0", "switch -q -c feature");
  await write("src/feature.ts", "export {};\n");
  await run("add .", "commit -q -m feature", "switch -q main", "switch -q -c hotfix");
  await write("README.md", "hot\n");
  await run("commit -q -a -m hotfix", "switch -q main", "commit -q --allow-empty -m third");
  await run(`clone -q --bare . ${place}/served/remote.git`, `remote add origin ${url}/remote.git`);
  await run("fetch -q", "branch -q -u origin/main");
  for (const folder of [pristine, repo]) await say(["cp", "-a", made.path, folder]);
  await settings(dirname(repo), repo);
  return [pristine, repo];
}

async function settings(place: string, repo: string): Promise<void> {
  const memory = join(place, "memory.json");
  const known = { type: "entity", name: "Ann", entityType: "person", observations: ["here"] };
  await Deno.writeTextFile(memory, `${JSON.stringify(known)}\n`);
  const servers = configText([
    {
      name: "memory",
      transport: "stdio",
      command: await npmServer("memory"),
      env: { MEMORY_FILE_PATH: memory },
    },
    {
      name: "filesystem",
      transport: "stdio",
      command: await npmServer("filesystem"),
      args: [repo],
    },
  ]);
  await Deno.writeTextFile(join(place, "servers.json"), servers);
}

/** Makes `repo` as it was. */
async function refresh(pristine: string, repo: string): Promise<void> {
  for await (const { name } of Deno.readDir(repo)) {
    await Deno.remove(join(repo, name), { recursive: true });
  }
  await say(["cp", "-a", `${pristine}/.`, repo]);
}

async function prepare(repo: string, command: string): Promise<void> {
  if (command === "changed") await Deno.writeTextFile(join(repo, "main.ts"), "edited\n");
  else await git(repo, command);
}

async function git(repo: string, command: string): Promise<string> {
  const said = await say(["git", ...command.split(" ")], repo);
  assert.equal(said?.code, 0, `git ${command}: ${said?.text}`);
  return said!.text;
}
