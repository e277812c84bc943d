/** Tokens of clients, made as an operator makes them. */

import assert from "node:assert/strict";
import { climax } from "./_server.ts";
import { runToEnd } from "../_run.ts";

/** Adds a token of `name` to `file` by `climax token new`, with further options; returns the token. */
export async function newToken(file: string, name: string, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(
    climax("token", "new", name, "--file", file, ...more),
  );
  assert.equal(code, 0, stderr);
  return stdout.trim();
}
