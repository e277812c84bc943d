/**
 * A conversation in which a client's model, which is ours, looks for a tool and calls tools: what comes
 * back is looked at as the model is given it.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Answer, Heard } from "./_dialects.ts";
import type { Home } from "./_home.ts";
import { startModel } from "./_model.ts";
import type { Program } from "./_programs.ts";

/** One call, and what its result has to be; what it says goes into the table. */
interface Step {
  readonly name: string;
  readonly tool: "climax_search" | "climax_call";
  args(before: string): Readonly<Record<string, unknown>>;
  check(result: string): string;
}

/** Words that clients put where they have cut a result. */
const cutMarks = /truncated|too large|persisted-output|full output/i;

const call = (tool: string, args: Record<string, unknown> = {}) => () => ({
  tool_name: tool,
  args,
});

/** The object of a call that a result asks for, which may be in JSON that is in JSON. */
function asked(result: string, tool: string): Record<string, unknown> {
  return JSON.parse(new RegExp(`${tool} (\\{.*?\\})`).exec(result)?.[1] ?? "{}");
}

const steps: readonly Step[] = [
  {
    name: "search",
    tool: "climax_search",
    args: () => ({ query: "say a text" }),
    check(result) {
      assert.match(result, /things_say/);
      return result.includes("things_say(text)") ? "line" : "schema";
    },
  },
  {
    name: "call",
    tool: "climax_call",
    args: call("things_say", { text: "two words" }),
    check(result) {
      assert.match(result, /two words/);
      return "ok";
    },
  },
  {
    name: "wrong",
    tool: "climax_call",
    args: call("things_say"),
    check(result) {
      assert.match(result, /Argument validation failed:\n {2}- Missing required argument 'text'/);
      return /Takes: things_say\(text\)/.test(result) ? "ok, takes" : "ok";
    },
  },
  {
    name: "long",
    tool: "climax_call",
    args: call("things_much"),
    check(result) {
      for (const line of ["line 00001 ", "line 03400 "]) assert.equal(result.includes(line), true);
      assert.match(
        result,
        /\[… [\d,]+ lines omitted: output_read \{"id": "\w+", "from_line": \d+\}\]/,
      );
      assert.doesNotMatch(result, cutMarks);
      return `${(result.length / 1024).toFixed(1)} KiB`;
    },
  },
  {
    name: "read on",
    tool: "climax_call",
    args: (before) => ({ tool_name: "output_read", args: asked(before, "output_read") }),
    check(result) {
      assert.match(result, /line \d{5} of what is far too long/);
      assert.equal(result.includes("line 00001 "), false);
      assert.doesNotMatch(result, cutMarks);
      return "ok";
    },
  },
  {
    name: "values",
    tool: "climax_call",
    args: call("things_list"),
    check(result) {
      const isTable = /name\tsize\na\t3\nb\t5/.test(result);
      const isJson = result.includes('{"result":[{"name":"a","size":3},{"name":"b","size":5}]}');
      assert.equal(isTable || isJson, true);
      return isTable && isJson ? "both" : isTable ? "table" : "JSON";
    },
  },
  {
    name: "begun",
    tool: "climax_call",
    args: call("things_wait"),
    check(result) {
      assert.match(result, /\[still running: job_result \{"id": "j\w{12}", "wait": 45\}\]/);
      return "ok";
    },
  },
  {
    name: "ended",
    tool: "climax_call",
    args: (before) => ({ tool_name: "job_result", args: asked(before, "job_result") }),
    check(result) {
      assert.match(result, /begun\nended/);
      return "ok";
    },
  },
];

/** The columns of the table. */
export const columns: readonly string[] = ["shown", ...steps.map(({ name }) => name)];

/** What came of each column, of which the first that failed is the last. */
export interface Talked {
  readonly cells: readonly string[];
  readonly failure?: string;
}

/** Has the client hold the conversation by its way `talk` to a model. */
export async function converse(program: Program, talk: string, home: Home): Promise<Talked> {
  const config = fileURLToPath(new URL("tools.yaml", import.meta.url));
  await program.trust(home);
  const connected = await home.climax("connect", program.name, config, "--yes");
  assert.equal(connected.code, 0, connected.text);
  await using model = startModel(answer, ({ whole }) => /climax_call|mcp__climax/.test(whole));
  const { argv, env } = await program.talks[talk]!(home, model.url);
  const { text } = await home.run(argv, env);
  if (model.heard.length === 0) {
    const failure =
      `its model was shown no tool: it began before climax was there. It said:\n${text}`;
    return { cells: ["nothing", "FAILED"], failure };
  }
  const results = (model.heard.at(-1)?.results ?? []).map(unwrapped);
  const cells = [shown(model.heard[0]!)];
  for (const [index, step] of steps.entries()) {
    try {
      const result = results[index] ?? assert.fail(`No result. The client said:\n${text}`);
      cells.push(step.check(result));
    } catch (error) {
      const result = results[index] ?? "";
      const excerpt = result.length > 2000
        ? `${result.slice(0, 1000)}\n…\n${result.slice(-1000)}`
        : result;
      const failure = `${step.name}: ${(error as Error).message}\n${excerpt}`;
      return { cells: [...cells, "FAILED"], failure };
    }
  }
  return { cells };
}

/** The next step, told to the client by the name that it gives the tool. */
function answer({ tools, results }: Heard): Answer {
  const step = steps[results.length];
  if (step === undefined) return { text: "That is all" };
  const args = step.args(unwrapped(results.at(-1) ?? ""));
  const tool = tools.find((name) => name.endsWith(step.tool));
  if (tool !== undefined) return { tool, args };
  const program =
    `const result = await tools.mcp__climax__${step.tool}(${JSON.stringify(args)}); ` +
    "text(result.content[0].text)";
  return tools.some((name) => name.endsWith("exec"))
    ? { tool: "exec", program }
    : { text: "There is no tool to call" };
}

/** How the model is told of the tools when the conversation begins. */
function shown(heard: Heard): string {
  const isTool = heard.tools.some((name) => name.endsWith("climax_call"));
  const isTold = heard.whole.includes("command-line program (things)");
  return `${isTool ? "tools" : "later"}${isTold ? ", told" : ""}`;
}

/** A result without the JSON that some clients put it in. */
function unwrapped(result: string): string {
  return /^\s*\{"(?:content|error)"/.test(result)
    ? result.replaceAll("\\\\", "\\").replaceAll("\\n", "\n").replaceAll("\\t", "\t")
      .replaceAll('\\"', '"').replaceAll('\\"', '"')
    : result;
}
