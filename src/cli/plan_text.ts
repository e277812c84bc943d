/** Words the plan of a call for a person: its command line first, as a shell would take it. */

import { shellWord } from "../text/shell_word.ts";
import type { PlanPreview } from "../tool/runner.ts";

/** The text of `preview`. */
export function planText({ record, details = {}, line }: PlanPreview): string {
  const { argv, ...others } = record;
  const command = Array.isArray(argv)
    ? argv.map((word) => shellWord(String(word))).join(" ")
    : line;
  const { cwd, timeout, env, stdin_bytes: bytes, ...rest } = { ...others, ...details };
  const lines = [
    ...(cwd === undefined ? [] : [`directory: ${cwd}`]),
    ...(bytes === undefined ? [] : [`input: ${bytes} bytes`]),
    ...(timeout === undefined ? [] : [`timeout: ${timeout} s`]),
    ...(Array.isArray(env) ? [`variables: ${env.length}, which --json names`] : []),
    ...Object.entries(rest).map(([name, value]) => `${name}: ${textOf(value)}`),
  ];
  return [`$ ${command}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
