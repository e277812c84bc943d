/** What real programs print costs in tokens (o200k), whole and bounded, and how near the estimate comes. */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { truncateResult } from "../src/call/truncate_result.ts";
import { defaultCallSettings } from "../src/call/context.ts";
import { estimateTokens } from "../src/text/tokens.ts";
import { textOf, textResult } from "../src/tool/result.ts";

/** What an output costs, whole and bounded. */
export interface OutputTokens {
  readonly output: string;
  readonly tokens: number;
  /** The estimate over the count. */
  readonly estimate: number;
  readonly bounded: number;
}

const programs: readonly (readonly [what: string, argv: readonly [string, ...string[]]])[] = [
  ["git log, all commits", ["git", "log", "-n", "2000"]],
  ["git log with patches", ["git", "log", "-n", "40", "--patch"]],
  ["git grep", ["git", "grep", "-n", "const "]],
  ["git ls-files with hashes", ["git", "ls-files", "--stage"]],
  ["a module graph, JSON", ["deno", "info", "--json", "main.ts"]],
  ["a lock file, JSON", ["cat", "deno.lock"]],
  ["ls -lR", ["ls", "-lR", "/usr/share/doc"]],
  ["find", ["find", "/usr/share", "-name", "*.h", "-o", "-name", "*.mo"]],
  ["ps aux", ["ps", "aux"]],
  ["a build log", ["deno", "test", "-A", "--no-check", "tests/policy", "tests/text"]],
];

/** Runs real programs in the repository. */
export async function outputTokens(): Promise<OutputTokens[]> {
  const cwd = new URL("..", import.meta.url);
  const rows: OutputTokens[] = [];
  for (const [output, [program, ...args]] of programs) {
    // As programs are run: a result has no colours
    const env = { NO_COLOR: "1" };
    const run = await new Deno.Command(program, { args, cwd, env, stderr: "null" }).output();
    // As much as --max-output lets through
    const text = new TextDecoder().decode(run.stdout.subarray(0, 256 * 1024));
    const tokens = countTokens(text);
    const bounded = textOf(
      await truncateResult(textResult(text), {
        maxTokens: defaultCallSettings.maxResultTokens,
        promisesStructure: false,
        keep: () => ({ id: "k0000000000000", bytes: 0, isCut: false, isSelectable: true }),
      }),
    );
    rows.push({
      output,
      tokens,
      estimate: estimateTokens(text) / tokens,
      bounded: countTokens(bounded),
    });
  }
  return rows;
}

/** The outputs as a table. */
export async function resultsTable(): Promise<string> {
  const rows = [
    ["output", "tokens", "estimate / tokens", "bounded"],
    ...(await outputTokens()).map(({ output, tokens, estimate, bounded }) => {
      return [output, String(tokens), estimate.toFixed(2), String(bounded)];
    }),
  ];
  return rows.map((row) => row.map((cell) => cell.padEnd(26)).join("").trimEnd()).join("\n");
}

if (import.meta.main) {
  Deno.stdout.writeSync(new TextEncoder().encode(`${await resultsTable()}\n`));
}
