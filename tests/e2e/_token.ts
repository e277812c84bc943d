/** Tokens of clients, made as an operator makes them. */

import assert from "node:assert/strict";
import { climax, environment } from "./_server.ts";

/** Adds a token of `name` to `file` by `climax token new`, with further options; returns the token. */
export async function newToken(file: string, name: string, ...more: string[]): Promise<string> {
  const [program, ...args] = climax("token", "new", name, "--file", file, ...more);
  const options = { args, env: environment(), clearEnv: true };
  const { stdout, stderr, success } = await new Deno.Command(program, options).output();
  assert.equal(success, true, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}
