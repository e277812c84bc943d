/** What a server says to a person; that its hint works is seen on a terminal, in tests/e2e. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { greeting } from "../../src/cli/serve.ts";
import { openSession } from "../../src/session/session.ts";
import { shellWord } from "../../src/text/shell_word.ts";
import { scratch } from "../e2e/_scratch.ts";

/** The greeting for a config with these tools. */
async function greetingFor(tools: readonly object[], policy?: string): Promise<string[]> {
  const config = { name: "one", command: "one", tools };
  await using dir = await scratch({ "my config.yaml": JSON.stringify(config) });
  const file = join(dir.path, "my config.yaml");
  await using session = await openSession({
    configs: [file],
    policy: policy === "p.yaml" ? undefined : policy,
  });
  return greeting(session, { configs: [file], policy }).replaceAll(dir.path, "DIR").split("\n");
}

/** The config on a command line. */
const configWord = shellWord(join("DIR", "my config.yaml"));

const easy = { name: "easy", args: [{ name: "a" }] };
const hard = { name: "hard", args: [{ name: "a", required: true }] };

Deno.test("greeting() says which programs are served, in the right number", async () => {
  const [one] = await greetingFor([easy]);
  assert.match(one!, /^climax serves one \(1 tool\) and waits for an MCP client on stdin; /);
  const [two] = await greetingFor([easy, hard]);
  assert.match(two!, / one \(2 tools\) and waits /);
});

Deno.test("greeting() says which tools ask", async () => {
  const tools = ["read", "write", "destructive"].map((effect) => ({ name: effect, effect }));
  const [, without] = await greetingFor([easy, ...tools]);
  assert.equal(
    without,
    "2 of 4 tools ask a person first: those that say they write",
  );
  const [, open] = await greetingFor([easy, ...tools], "open");
  assert.equal(open, "0 of 4 tools ask a person first, as the policy says");
});

Deno.test("greeting() shows how to list what is served", async () => {
  const [, , , hint] = await greetingFor([hard], "p.yaml");
  assert.ok(hint!.endsWith(` list ${configWord} --policy p.yaml`), hint);
});
