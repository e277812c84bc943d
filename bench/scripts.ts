/**
 * What a script saves: tasks over bundled configs in this repository, each solved twice by the same code, with
 * the calls of an agent one after the other, and as one script. Tokens (o200k) of requests and answers, each counted
 * once, though an agent sends what it has read again with every turn. `deno run -A bench/scripts.ts`.
 */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { discoverySurface } from "../src/server/modes.ts";
import type { Surface } from "../src/server/surface.ts";
import { openSession } from "../src/session/session.ts";
import { runTool } from "../src/sources/scripts/script_tools.ts";
import { Outputs } from "../src/jobs/outputs.ts";
import { textOf } from "../src/tool/result.ts";
import { fanOutTasks, singleTasks } from "./_script_tasks.ts";

/** What a task costs one way. */
interface Cost {
  readonly tokens: number;
  readonly turns: number;
  readonly answer: unknown;
  readonly ms: number;
}

const configs = ["git", "files", "ripgrep", "jq"];

/** A call as an agent makes it, and what it and its answer cost. */
async function callOf(surface: Surface, tool_name: string, args: object) {
  const given = { tool_name, args };
  const { content, isError } = await surface.call("climax_call", given, { owner: "bench" });
  const text = textOf({ content });
  return { text, isError, tokens: countTokens(JSON.stringify(given)) + countTokens(text) };
}

async function byCalls(surface: Surface, code: string): Promise<Cost> {
  let [tokens, turns] = [0, 0];
  const began = performance.now();
  const call = async (name: string, args: object = {}) => {
    const { text, isError, tokens: own } = await callOf(surface, name, args);
    tokens += own;
    turns++;
    if (isError) throw new Error(text);
    return { text };
  };
  const all = async (list: (() => Promise<unknown>)[]) => {
    const results: unknown[] = [];
    for (const item of list) results.push(await item());
    return results;
  };
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const body = AsyncFunction("call", "all", code);
  const answer = await body(call, all);
  return {
    tokens,
    turns,
    answer: JSON.parse(JSON.stringify(answer)),
    ms: performance.now() - began,
  };
}

async function byScript(surface: Surface, code: string): Promise<Cost> {
  const began = performance.now();
  const { text, isError, tokens } = await callOf(surface, runTool, { code });
  if (isError) throw new Error(text);
  return { tokens, turns: 1, answer: text, ms: performance.now() - began };
}

/** The table of `tasks`, with their sum. */
async function tableOf(surface: Surface, tasks: Readonly<Record<string, string>>) {
  const rows = [["task", "calls: tokens", "turns", "script: tokens", "turns", "tokens", "same"]];
  const sum = { calls: 0, turns: 0, script: 0 };
  for (const [task, code] of Object.entries(tasks)) {
    const [calls, script] = [await byCalls(surface, code), await byScript(surface, code)];
    sum.calls += calls.tokens;
    sum.turns += calls.turns;
    sum.script += script.tokens;
    rows.push(rowOf(
      task,
      calls.tokens,
      calls.turns,
      script.tokens,
      1,
      String(
        [calls.answer, JSON.stringify(calls.answer)].includes(script.answer),
      ),
    ));
  }
  const { length } = Object.keys(tasks);
  rows.push(rowOf("all", sum.calls, sum.turns, sum.script, length, ""));
  return rows.map((row) =>
    row.map((cell, at) => cell.padEnd(at === 0 ? 44 : 15)).join("").trimEnd()
  )
    .join("\n");
}

function rowOf(
  task: string,
  calls: number,
  turns: number,
  script: number,
  own: number,
  same: string,
): string[] {
  const share = `${(100 * script / calls).toFixed(1)} %`;
  return [task, String(calls), String(turns), String(script), String(own), share, same];
}

/** Milliseconds of a script without a call, and of a call within a script beyond the call. */
async function times(surface: Surface): Promise<string> {
  const many = "let n = 0; for (; n < 150; n++) await search('commit'); return n";
  const lines: string[] = [];
  for (const [what, code] of [["empty", "return 1"], ["150 searches", many]] as const) {
    const spent: number[] = [];
    for (let round = 0; round < 15; round++) {
      // Another thread is ready by then
      await new Promise((resolve) => setTimeout(resolve, 500));
      spent.push((await byScript(surface, code)).ms);
    }
    spent.sort((one, other) => one - other);
    lines.push(`${what}: fastest ${spent[0]!.toFixed(1)} ms, median ${spent[7]!.toFixed(1)} ms`);
  }
  return lines.join("\n");
}

const outputs = new Outputs();
await using session = await openSession({ configs, scripts: true, outputs });
const surface = discoverySurface(session);
const print = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n\n`));
print(await tableOf(surface, fanOutTasks));
print(await tableOf(surface, singleTasks));
print(await times(surface));
outputs.close();
