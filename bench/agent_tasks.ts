/**
 * Tasks of a language model as recorded calls, through the server over stdio and through a plain shell: turns, and
 * tokens (o200k) written and read. A model that searches first calls what it has found; one that calls first says what
 * it would by guess, and repairs that by the refusal, or by a search where the answer does not help. It knows a right
 * answer when it sees it, so no model is measured. `deno task bench agent`.
 */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { join } from "node:path";
import { configText, npmServer } from "../tests/_upstream.ts";
import { type Goal, type Step, tasks } from "./_agent_tasks.ts";
import { BenchServer } from "./_client.ts";
import { climaxServer } from "./_servers.ts";
import { markdown } from "./_table.ts";

interface Cost {
  turns: number;
  written: number;
  read: number;
  /** Goals that were not reached. */
  missed: number;
}

/** The number of characters that a client's shell tool lets through. */
const maxShellCharacters = 30_000;

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** Makes the requests of a task and counts them. */
class Player {
  readonly cost: Cost = { turns: 0, written: 0, read: 0, missed: 0 };

  constructor(readonly server: BenchServer) {}

  async #request(name: string, args: object): Promise<Answer> {
    const result = await this.server.request("tools/call", { name, arguments: args }) as {
      content: { text?: string }[];
      isError?: boolean;
    };
    const texts = result.content.map(({ text = "" }) => text);
    this.cost.turns++;
    this.cost.written += countTokens(name) + countTokens(JSON.stringify(args));
    this.cost.read += texts.reduce((sum, text) => sum + countTokens(text), 0);
    return { text: texts.join("\n"), isError: result.isError === true };
  }

  async #call([tool_name, args]: Step): Promise<Answer> {
    return await this.#request("climax_call", { tool_name, args });
  }

  /** Reaches a goal after a search. */
  async searchFirst(goal: Goal): Promise<void> {
    if (goal.query !== undefined) await this.#request("climax_search", { query: goal.query });
    this.#note(goal, await this.#call(goal.right ?? goal.guess));
  }

  /** Reaches a goal by a guess, and by what the answer to it says. */
  async callFirst(goal: Goal): Promise<void> {
    const { guess: [guessed, given], right } = goal;
    let answer = await this.#call(goal.guess);
    if (isDone(goal, answer) || right === undefined) return this.#note(goal, answer);
    const [tool, args] = right;
    if (tool !== guessed && RegExp(`\\b${tool}\\b`).test(answer.text)) {
      answer = await this.#call([tool, given]);
      if (isDone(goal, answer)) return;
    }
    const isTold = Object.keys(args).every((name) => {
      return name in given || RegExp(`takes: .*\\b${name}\\b`, "i").test(answer.text);
    });
    if (!isTold) await this.#request("climax_search", { query: goal.query ?? tool });
    this.#note(goal, await this.#call(right));
  }

  #note(goal: Goal, answer: Answer): void {
    if (!isDone(goal, answer)) this.cost.missed++;
  }
}

function isDone({ done }: Goal, { text, isError }: Answer): boolean {
  return done === undefined ? !isError : done.test(text.trim());
}

type Play = "searchFirst" | "callFirst";

/** Measures each task with results in `format`, in a fresh repository. */
async function play(project: Project, format: string, how: Play): Promise<Cost[]> {
  const configs = ["git", "sqlite3", "jq", "ripgrep", "npm"];
  const words = ["--scripts", "--results", format, "--mcp", project.servers];
  Deno.chdir(project.repo);
  const server = new BenchServer(
    climaxServer(...configs, ...words, "--policy", "open", "--log-level", "error"),
  );
  const costs: Cost[] = [];
  try {
    await server.initialize();
    for (const { goals } of tasks) {
      await refresh(project);
      const player = new Player(server);
      for (const goal of goals) await player[how](goal);
      costs.push(player.cost);
    }
  } finally {
    await server.close();
  }
  return costs;
}

/** Measures the same tasks through a tool that runs command lines. */
async function playShell(project: Project): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const { shell } of tasks) {
    await refresh(project);
    const cost: Cost = { turns: 0, written: 0, read: 0, missed: 0 };
    for (const command of shell) {
      const words = ["sh", "-c", `${command} 2>&1`];
      const text = (await run(words, project.repo)).slice(0, maxShellCharacters);
      cost.turns++;
      cost.written += countTokens("Bash") + countTokens(JSON.stringify({ command }));
      cost.read += countTokens(text);
    }
    costs.push(cost);
  }
  return costs;
}

async function run([program, ...args]: readonly string[], cwd: string): Promise<string> {
  const env = {
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
    // Fixed dates make the same hashes each time
    GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
    GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
  };
  const { stdout } = await new Deno.Command(program!, { args, cwd, env, stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

interface Project {
  readonly repo: string;
  /** A copy of the repository that stays as it is. */
  readonly pristine: string;
  /** A config with a file server for it. */
  readonly servers: string;
}

async function makeProject(place: string): Promise<Project> {
  const [repo, pristine] = [join(place, "repo"), join(place, "pristine")];
  const file = join(place, "servers.json");
  for (const folder of [repo, pristine]) await Deno.mkdir(folder);
  await run(["sh", "-c", history], pristine);
  const command = await npmServer("filesystem");
  const servers = [{ name: "filesystem", transport: "stdio" as const, command, args: [repo] }];
  await Deno.writeTextFile(file, configText(servers));
  return { repo, pristine, servers: file };
}

async function refresh({ repo, pristine }: Project): Promise<void> {
  for await (const { name } of Deno.readDir(repo)) {
    await Deno.remove(join(repo, name), { recursive: true });
  }
  await run(["cp", "-a", `${pristine}/.`, repo], pristine);
}

const history = `set -e
git init -q -b main .
git config user.name Ada && git config user.email ada@example.org
commit() { git add -A && git commit -qm "$1"; }
for n in 1 2 3 4 5 6 7 8; do echo "line $n" >> main.ts; done
echo "// TODO: tidy" >> main.ts
echo "export const greeting = 'hello';" > greeting.ts
mkdir -p lib src packages/app packages/core packages/docs packages/site
for name in app core docs site; do echo "{\\"name\\": \\"$name\\", \\"version\\": \\"1.$n.0\\"}" > packages/$name/package.json; done
echo '[{"kind": "a"}, {"kind": "b"}, {"kind": "a"}]' > items.json
sqlite3 shop.db "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id), total REAL); INSERT INTO users VALUES (1, 'Ann'), (2, 'Bob'); INSERT INTO orders VALUES (1, 1, 20), (2, 1, 5), (3, 2, 7)"
commit start
echo "export const TAX_RATE = 0.2;" > lib/total.ts && commit rates
git mv lib/total.ts src/total.ts && commit moved
for n in $(seq 1 60); do for line in $(seq 1 12); do echo "const value$n$line = $line; // TODO $n"; done > src/part$n.ts; commit "part $n"; done
git switch -qc feature && echo feature > feature.ts && commit feature
git switch -q main && git switch -qc hotfix && echo hot > hotfix.ts && commit hotfix
git switch -q main && git switch -qc conflict && echo "export const greeting = 'hi';" > greeting.ts && commit theirs
git switch -q main && echo "export const greeting = 'good day';" > greeting.ts && commit ours`;

function sumOf(costs: readonly Cost[]): Cost {
  const sum = { turns: 0, written: 0, read: 0, missed: 0 };
  for (const cost of costs) {
    for (const key of ["turns", "written", "read", "missed"] as const) sum[key] += cost[key];
  }
  return sum;
}

function shown({ turns, written, read, missed }: Cost): string {
  const counts = [turns, written, read].map((count) => count.toLocaleString("en")).join(", ");
  return missed === 0 ? counts : `${counts} (${missed} missed)`;
}

const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "climax-bench-" }));
try {
  const project = await makeProject(place);
  const ways = {
    "contract, searches first": await play(project, "contract", "searchFirst"),
    "contract, calls first": await play(project, "contract", "callFirst"),
    "compact, searches first": await play(project, "compact", "searchFirst"),
    "compact, calls first": await play(project, "compact", "callFirst"),
    "shell": await playShell(project),
  };
  const rows = tasks.map(({ name }, index) => {
    return [name, ...Object.values(ways).map((costs) => shown(costs[index]!))];
  });
  // The last one is mostly its result
  const sum = [
    "**all but the last**",
    ...Object.values(ways).map((costs) => {
      return shown(sumOf(costs.slice(0, -1)));
    }),
  ];
  const table = markdown([["turns, written, read", ...Object.keys(ways)], ...rows, sum]);
  Deno.stdout.writeSync(new TextEncoder().encode(`${table}\n`));
} finally {
  Deno.chdir("/");
  await Deno.remove(place, { recursive: true });
}
