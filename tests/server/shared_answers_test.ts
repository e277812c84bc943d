/** Answers that another instance takes than the one that asked, through a real store. */

import assert from "node:assert/strict";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Clock, systemClock } from "../../src/async/clock.ts";
import { classicSurface, type Surface } from "../../src/server/surface.ts";
import { answerMs } from "../../src/server/_suspended_call.ts";
import { Elicitation } from "../../src/server/elicitation.ts";
import { createMcpServer } from "../../src/server/mcp_server.ts";
import { readStateAddress } from "../../src/state/address.ts";
import { Keyring } from "../../src/state/keyring.ts";
import { until } from "../_wait.ts";
import { type Scratch, scratch } from "../e2e/_scratch.ts";
import { sessionOf } from "../_session.ts";
import { keyFile, randomKey } from "../state/_key_file.ts";
import { type RedisServer, redisServer, startRedis } from "../state/_redis_server.ts";
import { testServing } from "./_serving.ts";
import { openValkeyStore } from "../../src/state/shared_state.ts";

const tools = [{
  name: "drop",
  command: "sh -c",
  argv: ['echo "$0" >> ran', "{what}"],
  effect: "destructive",
  args: [{ name: "what", required: true }],
}];
const confirming = "default: enabled\nconfirm: destructive\n";

interface InstanceSettings {
  readonly redis: RedisServer;
  readonly dir: Scratch;
  readonly keys: string;
  readonly clock?: Clock;
  readonly policy?: string;
  readonly client?: string;
  readonly command?: string;
  readonly surface?: Surface;
}

interface Instance extends AsyncDisposable {
  /** Calls the tool; returns the text of the result, or the token of a question. */
  call(what: string, answer?: object): Promise<{ text: string; requestState?: string }>;
  isDown(): boolean;
}

async function instance(settings: InstanceSettings): Promise<Instance> {
  const { redis, dir, keys, clock, policy = confirming } = settings;
  const { client: name = "ada", command = "sh -c" } = settings;
  const config = { working_dir: dir.path, tools: [{ ...tools[0]!, command }] };
  const session = await sessionOf(config, { policy: { file: "policy.yaml", text: policy } });
  const { surface = classicSurface(session) } = settings;
  const keyring = new Keyring(keys);
  const address = readStateAddress(`valkey://127.0.0.1:${redis.port}`);
  const store = await openValkeyStore(address, keyring, clock);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const serving = testServing({
    client: name,
    owner: name,
    elicitation: new Elicitation({ state: { store, keyring }, ...(clock && { clock }) }),
  });
  const handle = serveStdio(() => createMcpServer(surface, serving), { transport: serverSide });
  const client = new Client({ name: "climax-tests", version: "1.0.0" }, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: "auto" },
  });
  await client.connect(clientSide);
  return {
    isDown: () => store.condition === "down",
    async call(what, answer = {}) {
      const params = { name: "drop", arguments: { what }, ...answer };
      const result = await client.callTool(params, { allowInputRequired: true }) as {
        content?: { text: string }[];
        requestState?: string;
      };
      const { requestState } = result;
      const text = result.content?.[0]?.text ?? "asked";
      return requestState === undefined ? { text } : { text, requestState };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await handle.close();
      store.close();
      await session[Symbol.asyncDispose]();
    },
  };
}

const ran = (dir: Scratch) => Deno.readTextFile(`${dir.path}/ran`).catch(() => "");

/** The answer to the question of a token. */
function answerTo(
  { requestState }: { requestState?: string },
  answer: object = { action: "accept", content: { run: true } },
): object {
  return { requestState, inputResponses: { q1: answer } };
}

interface Place extends AsyncDisposable {
  readonly dir: Scratch;
  readonly redis: RedisServer;
  readonly keys: string;
}

async function place(): Promise<Place> {
  const dir = await scratch();
  const redis = await startRedis();
  return {
    ...{ dir, redis, keys: keyFile(dir.path) },
    async [Symbol.asyncDispose]() {
      await redis.kill();
      await dir[Symbol.asyncDispose]();
    },
  };
}

redisServer.test("an answer is taken by any instance, once of all, for that call of that client alone", async () => {
  await using at = await place();
  await using one = await instance(at);
  await using two = await instance(at);
  await using eve = await instance({ ...at, client: "eve" });
  const asked = await one.call("a");
  assert.equal(asked.text, "asked");
  const answer = answerTo(asked);
  assert.match((await two.call("b", answer)).text, /the answer is for another call\nCall the/);
  assert.match((await eve.call("a", answer)).text, /the answer is for another call\n/);
  const forged = { ...answer, requestState: `${asked.requestState}A` };
  assert.match((await two.call("a", forged)).text, /the answer is for another call\n/);
  assert.match((await two.call("a", { ...answer, requestState: "s1.x.y.z" })).text, /signing key/);
  assert.equal(await ran(at.dir), "");

  const answers = await Promise.all([two, one, two, one].map((each) => each.call("a", answer)));
  const texts = answers.map(({ text }) => text).toSorted();
  const used = "Call refused: the answer was used before";
  assert.deepEqual(texts, ["(no output)", used, used, used]);
  assert.equal(await ran(at.dir), "a\n");
  // Another call with the same arguments is asked about again
  assert.equal((await two.call("a")).text, "asked");
});

redisServer.test("a no is a no on any instance, even where the policy does not ask any more", async () => {
  await using at = await place();
  await using one = await instance(at);
  await using two = await instance(at);
  await using free = await instance({ ...at, policy: "default: enabled\n" });
  for (const other of [two, free]) {
    const no = answerTo(await one.call("a"), { action: "decline" });
    assert.match((await other.call("a", no)).text, /^Call refused: the person declined it\n/);
    const asked = await one.call("a");
    const odd = answerTo(asked, { action: "accept", content: { run: false } });
    assert.match((await other.call("a", odd)).text, /the person did not say yes/);
    assert.match((await other.call("a", answerTo(asked))).text, /used before/);
    const none = { requestState: (await one.call("a")).requestState };
    assert.match((await other.call("a", none)).text, /the client sent no answer/);
  }
  assert.equal(await ran(at.dir), "");
});

redisServer.test("an instance that would run something else refuses the answer", async () => {
  await using at = await place();
  await using one = await instance(at);
  await using other = await instance({ ...at, command: "sh -x -c" });
  const { text } = await other.call("a", answerTo(await one.call("a")));
  assert.match(text, /what would be run has changed since the person was asked/);
  assert.equal(await ran(at.dir), "");
});

redisServer.test("an instance with another key says so, and with both keys takes the answer", async () => {
  await using at = await place();
  await using folder = await scratch();
  await using one = await instance(at);
  const old = (await Deno.readTextFile(at.keys)).trim();
  await using stranger = await instance({ ...at, keys: keyFile(folder.path) });
  const answer = answerTo(await one.call("a"));
  assert.match((await stranger.call("a", answer)).text, /instance with another signing key\nAn /);
  await using both = await instance({ ...at, keys: keyFile(folder.path, [randomKey(), old]) });
  assert.equal((await both.call("a", answer)).text, "(no output)");
});

redisServer.test("an instance whose clock is an hour off takes answers, and late ones from nobody", async () => {
  await using at = await place();
  const shifted = (ms: number): Clock => ({ ...systemClock, now: () => systemClock.now() + ms });
  await using early = await instance({ ...at, clock: shifted(-3_600_000) });
  await using right = await instance(at);
  await using late = await instance({ ...at, clock: shifted(3_600_000) });
  const all = [early, right, late];
  for (const asking of all) {
    for (const other of all) {
      assert.equal((await other.call("a", answerTo(await asking.call("a")))).text, "(no output)");
    }
  }
  let passed = 0;
  const moved: Clock = { ...systemClock, now: () => systemClock.now() - passed };
  await using past = await instance({ ...at, clock: moved });
  // Its idea of the store's clock is late until it looks again
  passed = answerMs + 1000;
  const { text } = await right.call("a", answerTo(await past.call("a")));
  assert.match(text, /the answer came too late\nCall the tool again to ask again$/);
});

redisServer.test("answers from before the store was wiped run nothing, nor do any while it is away", async () => {
  await using at = await place();
  await using one = await instance(at);
  await using two = await instance(at);
  const [used, open] = [answerTo(await one.call("a")), answerTo(await one.call("a"))];
  assert.equal((await two.call("a", used)).text, "(no output)");
  await at.redis.ask("FLUSHALL");
  assert.match((await two.call("a", used)).text, /has begun again since the question/);
  await at.redis.ask("CONFIG", "SET", "maxmemory", "1");
  const { text } = await two.call("a", open);
  assert.match(text, /the store that all .* is full, and no answer is taken without it\n/);
  assert.match((await two.call("a")).text, /the store that all instances share is full/);
  await at.redis.kill();
  await until(() => one.isDown(), "down");
  assert.match((await one.call("a")).text, /the store that all instances share cannot be reached/);
  assert.match((await two.call("a", open)).text, /cannot be reached, and no answer is taken/);
  assert.equal(await ran(at.dir), "a\n");
});
