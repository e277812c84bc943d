/** `climax run` greets a person on a terminal, and writes nothing but messages to a client. */

import assert from "node:assert/strict";
import { programs } from "../_requirements.ts";
import { climax, fixture } from "./_server.ts";
import { startReady } from "./_raw.ts";
import { within } from "../_wait.ts";
import { scratch } from "./_scratch.ts";
import { ends } from "../cli/commands/_climax.ts";
import { runToEnd, spawn } from "../_run.ts";

/** `script` of util-linux gives a program a terminal; those of BSD and macOS take other options. */
const script = await programs({ script: ["--version"] });

script.test("climax run greets a person on a terminal, and Ctrl-D ends it", async () => {
  const command = climax("run", fixture("probe.yaml")).map((word) => `'${word}'`).join(" ");
  const line = `CLIMAX_LAUNCHER= ${command}`;
  const child = spawn(["script", "--quiet", "--return", "--command", line, "/dev/null"]);
  const input = child.stdin.getWriter();
  let seen = "";
  const read = async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      seen += text;
      // End of input, once the greeting is complete
      if (/be called:\r?\n.*\r?\n$/.test(seen)) await input.write(new Uint8Array([4]));
    }
  };
  try {
    await within(read(), "the end of the terminal session");
    assert.equal((await child.status).code, 0);
  } finally {
    await input.close().catch(() => {});
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended by itself
    }
  }
  assert.match(seen, /climax serves probe \(12 tools\) and waits for an MCP client/);
  const hint = /To see what can be called:\r?\n {4}(.*?)\r?\n/.exec(seen)![1]!;
  await ends(runToEnd(["sh", "-c", hint]), { code: 0, stdout: /probe_args/ });
});

script.test("Ctrl-C in climax try leaves no folder, and a shell knows why it ended", async () => {
  await using dir = await scratch();
  const line = `TMPDIR='${dir.path}' ${climax("try").map((word) => `'${word}'`).join(" ")}`;
  for (const step of [/^4\. /m, /^Run it\?/m]) {
    const child = spawn(["script", "--quiet", "--return", "--command", line, "/dev/null"]);
    const input = child.stdin.getWriter();
    let seen = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      if (!step.test(seen) && step.test(seen += text)) await input.write(new Uint8Array([3]));
    }
    assert.equal((await within(child.status, "the end")).code, 130, seen);
    assert.deepEqual([...Deno.readDirSync(dir.path)].map(({ name }) => name), []);
    await input.close().catch(() => {});
  }
});

Deno.test("at the most talkative level, stdout still carries nothing but JSON-RPC", async () => {
  await using server = await startReady([fixture("probe.yaml"), "--log-level", "debug"]);
  await server.sendText("not JSON");
  await server.call("climax_call", { tool_name: "probe_args", args: { text: "a\nb" } });
  await server.call("climax_call", { tool_name: "probe_warn" });
  await server.closeInput();
  const { code, stderr } = await server.ended();
  assert.equal(code, 0);
  assert.equal(server.lines.length, 4);
  for (const line of server.lines) assert.equal(JSON.parse(line).jsonrpc, "2.0");
  for (const line of stderr.trimEnd().split("\n")) {
    assert.match(line, /^\d{4}-\d\d-\d\dT[\d:.]+Z (?:debug|info|warning|error): /);
  }
});
