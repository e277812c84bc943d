/** A start from a clone says in one line that it fetches libraries: once, and to people only. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { programs } from "../_requirements.ts";
import { cacheWith, served } from "./_deno_cache.ts";
import { scratch } from "./_scratch.ts";
import { environment, root } from "./_server.ts";
import { runToEnd } from "../_run.ts";

const notice = /^Downloading dependencies \(first run only\)/m;

/** A start that may fetch nothing, so that a lacking library ends it. */
const words = [
  ...["run", "--cached-only", "-qP", "--unstable-lazy-dynamic-imports"],
  ...[join(root, "main.ts"), "git"],
];

async function output(program: string, args: string[], denoDir: string): Promise<string> {
  const env = environment({ DENO_DIR: denoDir, DENO_NO_UPDATE_CHECK: "1" });
  const { stdout, stderr } = await runToEnd([program, ...args], { env });
  return stdout + stderr;
}

/** Returns what a person reads; `script` of util-linux gives the program a terminal. */
async function onTerminal(denoDir: string): Promise<string> {
  const command = [Deno.execPath(), ...words].map((word) => `'${word}'`).join(" ");
  return await output("script", ["--quiet", "--command", command, "/dev/null"], denoDir);
}

const { ignore } = await programs({ script: ["--version"] });

Deno.test(
  "a first start on a terminal says that it fetches, and later ones do not",
  { ignore },
  async () => {
    await using dir = await scratch();
    await cacheWith(["argparse"], dir.path);
    const first = await onTerminal(dir.path);
    assert.match(first, notice);
    assert.equal(first.match(/Downloading dependencies/g)!.length, 1, first);
    await cacheWith(served, dir.path);
    const second = await onTerminal(dir.path);
    assert.doesNotMatch(second, /Fetching/);
    assert.match(second, /^climax serves git/m);
  },
);

Deno.test("no start says so to a client", async () => {
  await using dir = await scratch();
  await cacheWith(["argparse"], dir.path);
  const said = await output(Deno.execPath(), words, dir.path);
  // The start reached the point where a person reads the notice
  assert.match(said, /commander|stemmer|zod|@modelcontextprotocol/);
  assert.doesNotMatch(said, /Fetching/);
  assert.match(said, /^error: Failed caching npm package '[^\n]+, --cached-only is specified\.\n/m);
  assert.match(said, /hint: [^\n]*set DENO_TLS_CA_STORE=system or NODE_EXTRA_CA_CERTS\n$/);
});
