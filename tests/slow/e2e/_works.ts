/** A config whose tools run scripts, for calls that go on and those that wait. */

import assert from "node:assert/strict";
import { join } from "node:path";

const beginning = `
name: works
command: ""
working_dir: DIR
tools:
  - { name: back, command: sh -c, background: true, timeout: 3600, args: [SCRIPT] }
`;

const script = "{ name: script, positional: true, required: true }";

/** A tool that is waited for. */
export const plainTool = "{ name: plain, command: sh -c, timeout: 3600, args: [SCRIPT] }";

/** A script that ends when `go` is there. */
export const waits = "echo half; while [ ! -e go ]; do sleep 0.02; done; echo whole";

/**
 * Writes `works.yaml` into `directory`, where its programs run: the tool `back`, which goes on in the
 * background, and `more`, in which SCRIPT stands for the argument with the script.
 *
 * @returns its path
 */
export async function writeWorks(directory: string, ...more: readonly string[]): Promise<string> {
  const path = join(directory, "works.yaml");
  const tools = more.map((tool) => `  - ${tool}\n`).join("");
  const text = (beginning + tools).replaceAll("SCRIPT", script).replace("DIR", directory);
  await Deno.writeTextFile(path, text);
  return path;
}

/** The id of the job that an answer says to ask for. */
export function jobIdIn(text: string): string {
  const [, id] = /\[still running: job_result \{"id": "(j\w{12})", "wait": 45\}\]$/.exec(text) ??
    [];
  return id ?? assert.fail(text);
}
