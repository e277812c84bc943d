/** Clients that are command lines, which start the server for each request. */

import { alone, signalFor } from "./_install.ts";
import type { Outcome, Plan, Step } from "./_drive.ts";

/** How a command line lists tools, and calls one. */
export interface CommandLine {
  readonly list: readonly string[];
  call(tool: string, args: Readonly<Record<string, unknown>>): readonly string[];
}

/** `mcporter`, with the program at `path`. */
export function mcporter(path: string, { command, args }: Plan): CommandLine {
  const server = ["--stdio", command, ...args.flatMap((arg) => ["--stdio-arg", arg])];
  const named = [...server, "--name", "climax"];
  return {
    list: [path, "list", ...named, "--json"],
    call(tool, given) {
      const what = ["--tool", tool, "--args", JSON.stringify(given), "--output", "json"];
      return [path, "call", ...named, ...what];
    },
  };
}

/** The MCP Inspector's command line, with the program at `path`. */
export function inspector(path: string, { command, args }: Plan): CommandLine {
  const server = [path, "--cli", command, ...args];
  return {
    list: [...server, "--method", "tools/list"],
    call(tool, given) {
      const words = Object.entries(given).flatMap(([name, value]) => {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        return ["--tool-arg", `${name}=${text}`];
      });
      return [...server, "--method", "tools/call", "--tool-name", tool, ...words];
    },
  };
}

/** Goes through the steps that a command line has. */
export async function* driveCommandLine(line: CommandLine, plan: Plan): AsyncIterable<Outcome> {
  const call = (tool: string, args: Readonly<Record<string, unknown>>) => {
    return printed(
      plan.classic ? line.call(tool, args) : line.call("climax_call", { tool_name: tool, args }),
      plan,
    );
  };
  yield await outcome("list", async () => {
    const text = await printed(line.list, plan);
    return (plan.classic ? plan.tools : ["climax_search", "climax_call"])
      .every((name) => text.includes(`"${name}"`));
  });
  yield await outcome("search", async () => {
    if (plan.classic) return null;
    const text = await printed(line.call("climax_search", { query: "say" }), plan);
    return text.includes("things_say");
  });
  yield await outcome("call", async () => {
    return (await call("things_say", { text: "two words" })).includes("two words");
  });
  yield await outcome("error", async () => {
    return (await call("things_fail", {})).includes("[exit code: 3]");
  });
  yield { step: "progress", ok: null, note: "" };
  yield { step: "cancel", ok: null, note: "" };
  yield { step: "shutdown", ok: true, note: "" };
}

async function outcome(step: Step, take: () => Promise<boolean | null>): Promise<Outcome> {
  try {
    return { step, ok: await take(), note: "" };
  } catch (error) {
    return { step, ok: false, note: String(error) };
  }
}

/** What a command line prints, whatever its exit code: a tool that failed may be one. */
async function printed(line: readonly string[], { env }: Plan): Promise<string> {
  const [program, ...args] = alone(line);
  const { stdout, stderr } = await new Deno.Command(program, {
    args,
    env,
    clearEnv: true,
    cwd: "/",
    stdin: "null",
    signal: signalFor(60_000),
  }).output();
  const decoder = new TextDecoder();
  return decoder.decode(stdout) + decoder.decode(stderr);
}
