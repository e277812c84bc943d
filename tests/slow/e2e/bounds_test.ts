/** A server that has no more files to open goes on, and a process whose script computes for too long ends. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climaxProcess } from "../../cli/commands/_climax.ts";
import { processTools } from "../../_requirements.ts";
import { answerTo, callMess, sendCall, startMess } from "../../e2e/_mess.ts";
import { scratch } from "../../e2e/_scratch.ts";

processTools.test("a server out of file descriptors says so, and recovers", async () => {
  await using dir = await scratch();
  const [file, log] = [join(dir.path, "go"), join(dir.path, "log")];
  await using server = await startMess({ openFiles: 64, args: ["--concurrency", "64"] });
  const ids = Array.from({ length: 40 }, (_, number) => `call ${number}`);
  for (const id of ids) await sendCall(server, id, "wait_for", { file, log, name: id });
  const failure =
    "Command could not be started: this server is out of file descriptors, try again later";
  await server.message(({ result }) => result?.content?.[0].text === failure);
  await Deno.writeTextFile(file, "");
  const texts = await Promise.all(ids.map((id) => answerTo(server, id)));
  for (const text of texts) assert.ok(text === "(no output)" || text === failure, text);
  assert.ok(texts.includes("(no output)"));
  assert.equal((await callMess(server, "say")).text, "hello");
});

Deno.test("a process ends by itself once its script has ended by its bound", async () => {
  const code = "code=[].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)";
  const ran = await climaxProcess(["call", "--scripts", "git", "--", "script_run", code]);
  assert.equal(ran.code, 1);
  assert.match(ran.stdout, /^Script failed: It computes for more than 10 seconds/);
});
