/**
 * A developer's day as recorded calls, through the server over stdio as `climax connect claude-code` sets it up in the
 * repository, and through a plain shell: turns, tokens (o200k) written and read, and questions, which a person answers with
 * yes. `deno task bench agent [--show] [CONFIG…]`; needs git, Node.js and npm's registry.
 *
 * No model is measured. The calls are what one writes that has read the instructions, the two tools, and the answers so far:
 * first a guess in the words of the known agents' tools, where they have any; then, if that was refused, the right call, if
 * all of its words stand in what was read, else after a search. That a task is done is seen from its files and answers.
 */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Goal, type Step, type Task, tasks } from "./_agent_tasks.ts";
import { BenchServer } from "./_client.ts";
import { makeShop } from "./_shop.ts";
import { markdown } from "./_table.ts";

interface Cost {
  turns: number;
  searches: number;
  written: number;
  read: number;
  failed: number;
  questions: number;
  /** `way`: by a detour. */
  end: "straight" | "way" | "not";
}

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** The characters that a client's shell tool lets through. */
const maxShellCharacters = 30_000;

const isShown = Deno.args.includes("--show");
const configs = Deno.args.filter((word) => word !== "--show");

/** Plays the model of one day. */
class Player {
  cost = newCost();
  #answers: string[] = [];
  #seen = "";
  #server!: BenchServer;

  constructor(readonly repo: string, readonly env: Record<string, string>) {}

  /** Starts the server as a client would. Returns the tokens that a model reads at the start. */
  async start(command: readonly [string, ...string[]]): Promise<number> {
    const answer = (method: string, params: Readonly<Record<string, unknown>>) => {
      return method === "elicitation/create" ? this.#agree(params) : {};
    };
    this.#server = new BenchServer(command, { cwd: this.repo, env: this.env, answer });
    const { instructions } = await this.#server.initialize() as { instructions: string };
    const { tools } = await this.#server.request("tools/list", {}) as { tools: object[] };
    const shown = tools.map((tool) => {
      const { name, description, inputSchema } = tool as Record<string, unknown>;
      return JSON.stringify({ name, description, inputSchema });
    });
    this.#seen = [instructions, ...shown].join("\n");
    return countTokens(this.#seen);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async play(task: Task): Promise<string> {
    this.cost = newCost();
    this.#answers = [];
    for (const goal of task.goals) await this.#reach(goal);
    return this.#answers.join("\n");
  }

  async #reach(goal: Goal): Promise<boolean> {
    if (goal.guess !== undefined && await this.#call(goal.guess, goal)) return true;
    let hasSearched = false;
    const search = async () => {
      if (!hasSearched && goal.query !== undefined) await this.#search(goal.query);
      hasSearched = true;
    };
    for (const step of goal.right ?? []) {
      if (!this.#knows(step)) await search();
      if (!this.#knowsTool(step)) continue;
      if (!this.#knows(step)) await this.#search(step[0]);
      if (await this.#call(step, goal)) return true;
    }
    if (goal.detour === undefined) return false;
    this.cost.end = "way";
    let isDone = true;
    for (const step of goal.detour) {
      if (!this.#knows(step)) await this.#search(step[0]);
      isDone = await this.#call(step, {}) && isDone;
    }
    return isDone;
  }

  #knowsTool([tool]: Step): boolean {
    return RegExp(`\\b${tool}\\b`).test(this.#seen);
  }

  /** Returns whether lines that name the tool name all arguments. */
  #knows(step: Step): boolean {
    const lines = this.#seen.split("\n").filter((line) => RegExp(`\\b${step[0]}\\b`).test(line));
    return lines.length > 0 && Object.keys(this.#argsOf(step)).every((name) => {
      return lines.some((line) => RegExp(`\\b${name}\\b`).test(line));
    });
  }

  #argsOf([, args]: Step): Readonly<Record<string, unknown>> {
    const all = typeof args === "function" ? args({ seen: this.#seen, repo: this.repo }) : args;
    return JSON.parse(JSON.stringify(all).replaceAll("$PORT", this.env["PORT"]!));
  }

  async #call([tool, args]: Step, { done }: Goal): Promise<boolean> {
    const isDone = ({ text, isError }: Answer) => done === undefined ? !isError : done.test(text);
    const call = () =>
      this.#request("climax_call", { tool_name: tool, args: this.#argsOf([tool, args]) });
    let answer = await call();
    const [, allow] = /^Ask a person to run: (.*)$/m.exec(answer.text) ?? [];
    if (answer.isError && !isDone(answer)) this.cost.failed++;
    if (allow !== undefined) {
      this.cost.questions++;
      show(`? ${allow}`);
      await run(["sh", "-c", allow], this.repo, this.env);
      answer = await call();
    }
    const [, job] = /\[still running: job_result (\{.*\})\]/.exec(answer.text) ?? [];
    if (job !== undefined && done === undefined) {
      answer = await this.#request("climax_call", {
        tool_name: "job_result",
        args: JSON.parse(job),
      });
    }
    return isDone(answer);
  }

  async #search(query: string): Promise<void> {
    this.cost.searches++;
    await this.#request("climax_search", { query });
  }

  async #request(name: string, args: object): Promise<Answer> {
    const { content, isError = false } = await this.#server.request("tools/call", {
      name,
      arguments: args,
    }) as { content: { text?: string }[]; isError?: boolean };
    const text = content.map(({ text = "" }) => text).join("\n");
    this.cost.turns++;
    this.cost.written += countTokens(name) + countTokens(JSON.stringify(args));
    this.cost.read += countTokens(text);
    this.#answers.push(text);
    this.#seen += `\n${text}`;
    show(`> ${name} ${JSON.stringify(args)}`, isError ? `FAILED ${text}` : text);
    return { text, isError };
  }

  /** Says yes, once, as a person does who wants the day to go on. */
  #agree({ message, requestedSchema }: Readonly<Record<string, unknown>>): object {
    this.cost.questions++;
    show(`? ${message}`, "yes");
    const { properties = {} } = (requestedSchema ?? {}) as {
      properties?: Record<string, { type?: string; enum?: string[]; oneOf?: { const: string }[] }>;
    };
    const content = Object.entries(properties).map(([key, { type, enum: names, oneOf }]) => {
      const all = names ?? oneOf?.map((each) => each.const) ?? [];
      const yes = all.find((each) => /^(?:yes|once|allow|approve)$/.test(each)) ?? all[0];
      return [key, type === "boolean" ? !/remember|session|always/.test(key) : yes];
    });
    return { action: "accept", content: Object.fromEntries(content) };
  }
}

function newCost(): Cost {
  return { turns: 0, searches: 0, written: 0, read: 0, failed: 0, questions: 0, end: "straight" };
}

function show(...texts: readonly string[]): void {
  if (isShown) print(texts.map((text) => text.slice(0, 1500)).join("\n"));
}

function print(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function playShell(
  { shell }: Task,
  repo: string,
  env: Record<string, string>,
): Promise<{ cost: Cost; text: string }> {
  const cost = newCost();
  const texts: string[] = [];
  for (const command of shell) {
    const { text, success } = await run(["bash", "-c", `(${command}\n) 2>&1`], repo, env);
    const shown = text.slice(0, maxShellCharacters);
    texts.push(shown);
    cost.turns++;
    cost.written += countTokens("Bash") + countTokens(JSON.stringify({ command }));
    cost.read += countTokens(shown);
    if (!success) cost.failed++;
  }
  return { cost, text: texts.join("\n") };
}

async function run(
  [program, ...args]: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<{ text: string; success: boolean }> {
  const options = { args, cwd, env, clearEnv: true, stdin: "null", stderr: "inherit" } as const;
  const { stdout, success } = await new Deno.Command(program!, options).output();
  return { text: new TextDecoder().decode(stdout), success };
}

/** Says that a task is not done if it is not. */
async function check(
  task: Task,
  { cost, text }: { cost: Cost; text: string },
  repo: string,
  env: Record<string, string>,
): Promise<Cost> {
  const ANSWER = join(repo, "..", "answer.txt");
  await Deno.writeTextFile(ANSWER, text);
  const { success } = await run(["bash", "-c", task.check], repo, { ...env, ANSWER });
  return success ? cost : { ...cost, end: "not" };
}

/** Makes the files of one repository those of another, packages aside. */
async function copyFiles(from: string, to: string, env: Record<string, string>): Promise<void> {
  const clear = `find "$1" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +`;
  const copy = `tar -C "$0" --exclude=./node_modules -cf - . | tar -C "$1" -xf -`;
  const script = `${clear} && ${copy} && cd "$1" && git update-index -q --refresh`;
  await run(["bash", "-c", script, from, to], "/", env);
}

/** Returns the command that `climax connect` would write into the configuration of a client. */
async function connected(
  repo: string,
  env: Record<string, string>,
): Promise<[string, ...string[]]> {
  const climax = Deno.env.get("CLIMAX_UNDER_TEST") ??
    fileURLToPath(new URL("../climax", import.meta.url));
  const words = [climax, "connect", "claude-code", ...configs, "--print"];
  const { text } = await run(words, repo, env);
  const entry = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  const { command, args } = entry.mcpServers.climax;
  print(`climax ${args.join(" ")}`);
  return [command, ...args];
}

function sumOf(costs: readonly Cost[]): Cost {
  const sum = newCost();
  for (const cost of costs) {
    for (const key of ["turns", "searches", "written", "read", "failed", "questions"] as const) {
      sum[key] += cost[key];
    }
  }
  return sum;
}

function tables(climax: readonly Cost[], shell: readonly Cost[], fixed: number): string {
  const both = [climax, shell];
  const sums = both.map(sumOf);
  const number = (count: number) => count.toLocaleString("en-US");
  const ends = both.map((costs) => {
    return (["straight", "way", "not"] as const).map((end) => {
      return costs.filter((cost) => cost.end === end).length;
    }).join(" / ");
  });
  const row = (name: string, cell: (cost: Cost) => string) => [name, ...sums.map(cell)];
  const total = markdown([
    [`${tasks.length} tasks`, "climax", "shell"],
    ["done straight / by a detour / not at all", ...ends],
    row("turns", ({ turns }) => number(turns)),
    row("of them searches", ({ searches }) => number(searches)),
    row("tokens written", ({ written }) => number(written)),
    row("tokens read", ({ read }) => number(read)),
    row("tokens together", ({ written, read }) => number(written + read)),
    row("failed calls", ({ failed }) => number(failed)),
    row("questions to the person", ({ questions }) => number(questions)),
    ["tokens of the instructions and tools", number(fixed), "0"],
  ]);
  const each = tasks.map(({ name }, at) => {
    const [own, other] = [climax[at]!, shell[at]!];
    const { turns, written, read, failed, questions } = own;
    const times = (written + read) / (other.written + other.read);
    return [
      name,
      [turns, written, read, failed, questions].join(", "),
      [other.turns, other.written, other.read].join(", "),
      times.toFixed(1),
      `${own.end}${other.end === "straight" ? "" : `, shell ${other.end}`}`,
    ];
  });
  const head = ["task", "climax: turns, w, r, f, q", "shell: turns, w, r", "times", "done"];
  return `${total}\n\n${markdown([head, ...each])}\n`;
}

const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "climax-day-" }));
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
  return new Response(new URL(request.url).pathname === "/total" ? "1190\n" : "not found\n");
});
try {
  for (const name of ["shell", "climax", "home"]) await Deno.mkdir(join(place, name));
  // Certificates and proxies of this machine, and no settings of git and npm
  const all = Object.entries(Deno.env.toObject()).filter(([name]) =>
    !/^(?:GIT_(?!SSL)|npm_)/i.test(name)
  );
  const DENO_DIR = Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME")!, ".cache", "deno");
  const HOME = join(place, "home");
  const git = { GIT_CONFIG_NOSYSTEM: "1", GIT_EDITOR: "true" };
  const env = { ...Object.fromEntries(all), ...git, DENO_DIR, HOME, PORT: `${server.addr.port}` };
  const own = await makeShop(join(place, "shell"), env);
  await run(["cp", "-a", `${place}/shell/.`, `${place}/climax`], place, env);
  const player = new Player(join(place, "climax", "shop"), env);
  const fixed = await player.start(await connected(player.repo, env));
  const costs: { climax: Cost[]; shell: Cost[] } = { climax: [], shell: [] };
  for (const task of tasks) {
    show(`\n== ${task.name}`);
    // Each task begins where the shell has ended the one before it
    await copyFiles(own, player.repo, env);
    const text = await player.play(task);
    costs.climax.push(await check(task, { cost: player.cost, text }, player.repo, env));
    costs.shell.push(await check(task, await playShell(task, own, env), own, env));
    show(`${costs.climax.at(-1)!.end}, shell ${costs.shell.at(-1)!.end}`);
  }
  await player.close();
  Deno.stdout.writeSync(new TextEncoder().encode(tables(costs.climax, costs.shell, fixed)));
} finally {
  await server.shutdown();
  await Deno.remove(place, { recursive: true });
}
