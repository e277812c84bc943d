/** Models call tools in many ways: each way with what runs, over git repositories, databases and servers as they are. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { gitDaemon, programOf, repository, say } from "../../configs/_programs.ts";
import { needs } from "../../_requirements.ts";
import { configText, npmServer } from "../../_upstream.ts";
import { connect, type ConnectedClient } from "../../e2e/_clients.ts";
import { type Habit, habits } from "./_habits.ts";
import { scratch } from "../../e2e/_scratch.ts";

const configs = ["git", "ripgrep", "sqlite3", "jq", "npm"];
const needed = ["git", "rg", "sqlite3", "jq", "npm"].filter((name) => !programOf(name));
const { ignore } = needs(needed.join(", "), needed.length === 0 && Deno.build.os !== "windows");

for (const [words, rows] of habits) {
  Deno.test(`habits of models, with ${words.join(" ") || "no options"}`, { ignore }, async (t) => {
    await using place = await scratch();
    await Deno.mkdir(join(place.path, "served"));
    await using daemon = await gitDaemon(join(place.path, "served"));
    const [pristine, repo] = await project(place.path, daemon.url);
    const audit = join(place.path, "audit.jsonl");
    const given = [...configs, "--audit", audit, ...words];
    await using client = await connect(given.map((word) => word.replace("FOLDER", repo)), {
      cwd: repo,
    });
    let isFresh = true;
    for (const [habit, request, outcome] of rows) {
      await t.step(habit, async () => {
        if (!isFresh) await refresh(pristine, repo);
        isFresh = outcome.given === undefined;
        for (const command of outcome.given ?? []) await prepare(repo, command);
        await judge({ client, repo, audit }, request, outcome);
      });
    }
  });
}

/** Nothing stands beside an answer but the size of a search that was cut. */
const noNote = /^(?:\[\d+ of \d+ tools; limit shows more\])?$/;

interface Ground {
  readonly client: ConnectedClient;
  readonly repo: string;
  readonly audit: string;
}

async function judge(
  { client, repo, audit }: Ground,
  [name, args]: Habit[1],
  outcome: Habit[2],
): Promise<void> {
  const before = entriesIn(audit).length;
  const answer = client.call(name, args as Record<string, unknown>)
    // A protocol error is an answer too
    .catch((error) => ({ text: String(error), isError: true, beside: [] }));
  const { text, isError, beside = [] } = await answer;
  const seen = [text, ...beside].join("\n--\n");
  const ran = entriesIn(audit).slice(before).filter(({ decision, ending }) => {
    return decision === "allowed" && !ending.startsWith("not started");
  });
  assert.deepEqual(ran.map(lineOf), outcome.ran, seen);
  assert.equal(isError, outcome.isError, seen);
  // A refusal is the first block, and what helps those after it
  const said = isError ? [text, ...beside].join("\n\n") : text;
  for (const expected of outcome.says ?? []) {
    assert.match(said, RegExp(expected.source.replace("FOLDER", repo), expected.flags));
  }
  if (outcome.hides) assert.doesNotMatch(said, outcome.hides);
  if (!isError || outcome.note) assert.match(beside.join("\n"), outcome.note ?? noNote);
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
  await Deno.writeTextFile(join(place, "ignore.yaml"), "default: enabled\nunknown_args: ignore\n");
  await Deno.writeTextFile(
    join(place, "readonly.yaml"),
    "default: enabled\neffects: [read]\nunknown_args: refuse\n",
  );
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
