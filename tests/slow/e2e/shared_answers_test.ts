/** Confirmations by any of three instances behind a real nginx, which sends each request to the next one. */

import { envelope } from "../../server/http/_server.ts";
import assert from "node:assert/strict";
import { until, within } from "../../_wait.ts";
import { startRedis } from "../../state/_redis_server.ts";
import {
  type Caller,
  type Instances,
  instancesRequirement,
  type InstancesSettings,
  startInstances,
} from "./_instances.ts";

const tool = "drop";
const canAnswer = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };

async function write(dir: string): Promise<readonly string[]> {
  const config = `name: drops
command: sh -c
tools:
  - name: ${tool}
    effect: destructive
    argv: ['echo "$0" >> "$1"', "{what}", "${dir}/ran"]
    args: [{ name: what, required: true }]
  - name: look
    effect: read
    argv: ["echo seen"]
  - name: hold
    effect: read
    argv: ["echo $$ > $0; exec sleep 600", "{file}"]
    args: [{ name: file, required: true }]
`;
  await Deno.writeTextFile(`${dir}/drops.yaml`, config);
  await Deno.writeTextFile(`${dir}/policy.yaml`, "default: enabled\nconfirm: destructive\n");
  return [`${dir}/drops.yaml`, "--policy", `${dir}/policy.yaml`, "--scripts"];
}

const start = (settings: Partial<InstancesSettings> = {}) => startInstances({ write, ...settings });

/** Returns the arguments of all runs of the tool. */
async function ran({ dir }: Instances): Promise<string[]> {
  const text = await Deno.readTextFile(`${dir}/ran`).catch(() => "");
  return text.split("\n").filter((line) => line !== "").toSorted();
}

interface Reply {
  readonly text: string;
  readonly requestState?: string;
}

/** Sends a call by hand; the reply is a question or a result. */
async function send(
  on: Instances,
  args: object,
  { answer = {}, name = "climax_call", ...who }: Caller & { answer?: object; name?: string } = {},
): Promise<Reply> {
  const params = { name, arguments: args, ...answer, _meta: { ...envelope, ...canAnswer } };
  const response = await on.send("tools/call", params, who);
  if (!response.ok) return { text: `${response.status} ${await response.text()}` };
  const { result, error } = await response.json();
  const text = error?.message ?? result.content?.[0]?.text ?? "asked";
  return { text, requestState: result?.requestState };
}

const dropped = (what: string) => ({ tool_name: tool, args: { what } });
const yes = { action: "accept", content: { run: true } };

function answerTo({ requestState }: Reply): { answer: object } {
  return { answer: { requestState, inputResponses: { q1: yes } } };
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => String(number));

instancesRequirement.test("100 of 100 confirmations through the proxy run once, and no instance takes them again", async () => {
  await using on = await start();
  // A change that is sent together with one that asks is refused
  const questions: Reply[] = [];
  for (const what of numbers(100)) questions.push(await send(on, dropped(what)));
  assert.deepEqual(await ran(on), []);
  const results = await Promise.all(questions.map((question, number) => {
    return send(on, dropped(String(number)), answerTo(question));
  }));
  assert.deepEqual(new Set(results.map(({ text }) => text)), new Set(["(no output)"]));
  assert.deepEqual(await ran(on), numbers(100).toSorted());
  const texts = new Set<string>();
  for (const at of on.processes.keys()) {
    const again = await Promise.all(questions.map((question, number) => {
      return send(on, dropped(String(number)), { ...answerTo(question), at });
    }));
    for (const { text } of again) texts.add(text);
  }
  assert.deepEqual([...texts], ["Call refused: the answer was used before"]);
  assert.equal((await ran(on)).length, 100);
});

instancesRequirement.test("one of three is killed under load: what was confirmed ran once, the rest is answered", async () => {
  await using on = await start();
  const one = async (what: string) => {
    let question: Reply;
    do question = await send(on, dropped(what)); while (
      question.text.startsWith("Call not made: drop, which was sent before it, waits")
    );
    return question.requestState === undefined
      ? question
      : await send(on, dropped(what), answerTo(question));
  };
  const load = numbers(60).map(one);
  await Promise.race(load);
  on.processes[0]!.kill("SIGKILL");
  const texts = await within(Promise.all(load), "the end of the load");
  const done = numbers(60).filter((number) => texts[Number(number)]!.text === "(no output)");
  const lines = await ran(on);
  assert.equal(new Set(lines).size, lines.length);
  assert.deepEqual(done.filter((what) => !lines.includes(what)), []);
  for (const { text } of texts) assert.match(text, /^(?:\(no output\)|502 )/);
  const later = await Promise.all(["a", "b", "c", "d", "e", "f"].map(one));
  assert.deepEqual(new Set(later.map(({ text }) => text)), new Set(["(no output)"]));
});

instancesRequirement.test("without the store plain calls are answered, and with it again confirmations", async () => {
  await using on = await start();
  const before = await send(on, dropped("before"));
  await on.redis.kill();
  const ready = async (at: number) => {
    const url = (await on.processes[at]!.url()).replace(/mcp$/, "readyz");
    const response = await fetch(url);
    return `${response.status} ${(await response.text()).trim()}`;
  };
  for (const at of on.processes.keys()) {
    await until(async () => await ready(at) === "200 ready, the shared store is down", "down");
  }
  for (const _ of numbers(6)) {
    assert.equal((await send(on, { tool_name: "look", args: {} })).text, "seen");
  }
  assert.match((await send(on, dropped("down"))).text, /store that all .* cannot be reached$/m);
  assert.match(
    (await send(on, dropped("before"), answerTo(before))).text,
    /cannot be reached, and no answer is taken without it\nCall the tool again to ask again$/,
  );
  await using _ = await startRedis({ port: on.redis.port });
  for (const at of on.processes.keys()) {
    await until(async () => await ready(at) === "200 ready", "up");
  }
  const { text } = await send(on, dropped("before"), answerTo(before));
  assert.match(text, /has begun again since the question\n/);
  const question = await send(on, dropped("after"));
  assert.equal((await send(on, dropped("after"), answerTo(question))).text, "(no output)");
  assert.deepEqual(await ran(on), ["after"]);
});
