/**
 * The way of a call: how many files of src have a function that runs for one more request of a warm server, by the
 * coverage of V8. The bounds are to fall: who reads the way of a call opens each of these files.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { join, relative } from "node:path";
import { configText, odd } from "../../_upstream.ts";
import { startRawFrom } from "../../e2e/_raw.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climaxOfSources, root } from "../../e2e/_server.ts";

interface Walk {
  readonly way: string;
  readonly args: readonly string[];
  /** The arguments of `climax_call`. */
  readonly request: { readonly tool_name: string; readonly args: object };
  /** Most files of src. */
  readonly max: number;
}

const walks: readonly Walk[] = [
  {
    way: "stdin to git status to stdout",
    args: ["git"],
    request: { tool_name: "git_status", args: {} },
    max: 76,
  },
  {
    way: "stdin to a tool of an MCP server to stdout",
    args: ["--mcp", "servers.json"],
    request: { tool_name: "odd__echo", args: { text: "hello" } },
    max: 75,
  },
];

/** The number of requests of each run, in no order: what rises on the machine meanwhile is no way of a call. */
const requests = [5, 3, 8, 4, 7, 6];

for (const { way, args, request, max } of walks) {
  Deno.test(`${way} visits at most ${max} files`, async () => {
    await using dir = await scratch({ "servers.json": configText([odd("odd")]) });
    await new Deno.Command("git", { args: ["init", "-q"], cwd: dir.path }).output();
    const counts = new Map<number, Counts>();
    for (const calls of requests) {
      const coverage = join(dir.path, `coverage-${calls}`);
      await using server = startRawFrom(withCoverage(coverage, args), { cwd: dir.path });
      await server.initialize();
      for (let at = 0; at < calls; at++) {
        const { text, isError } = await server.call("climax_call", request);
        assert.equal(isError, false, text);
      }
      await server.closeInput();
      await server.ended();
      counts.set(calls, await countsIn(coverage));
    }
    const files = visited(requests.toSorted().map((calls) => counts.get(calls)!));
    assert.ok(files.length > 30, "the coverage is read");
    assert.ok(files.length <= max, `${files.length} files:\n${files.join("\n")}`);
  });
}

function withCoverage(folder: string, args: readonly string[]): [string, ...string[]] {
  const [deno, run, ...rest] = climaxOfSources("run", ...args);
  return [deno, run!, `--coverage=${folder}`, ...rest];
}

/** The number of calls of each function, by its file and place. */
type Counts = ReadonlyMap<string, number>;

async function countsIn(folder: string): Promise<Counts> {
  const counts = new Map<string, number>();
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".json")) continue;
    const { url, functions } = JSON.parse(await Deno.readTextFile(join(folder, name)));
    if (!url.startsWith("file:")) continue;
    const file = relative(root, fileURLToPath(url)).replaceAll("\\", "/");
    if (!file.startsWith("src/")) continue;
    for (const { functionName, ranges: [{ startOffset, count }] } of functions) {
      counts.set(`${file} ${functionName} ${startOffset}`, count);
    }
  }
  return counts;
}

/** Functions that look at each process of the machine once after a start; a call has a mark in a variable. */
const ofScan = /^src\/exec\/processes\.ts (?!variableOfMark )/;

/**
 * The files with a function that is called more often in each run with one request more. What depends on timers also
 * grows at times, but hardly in five runs on end.
 */
function visited(runs: readonly Counts[]): string[] {
  const growing = [...runs.at(-1)!.keys()].filter((key) => !ofScan.test(key)).filter((key) => {
    const counts = runs.map((run) => run.get(key) ?? 0);
    return counts.every((count, at) => at === 0 || count > counts[at - 1]!);
  });
  return [...new Set(growing.map((key) => key.split(" ", 1)[0]!))].toSorted();
}
