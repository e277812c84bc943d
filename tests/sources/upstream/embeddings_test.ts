/** Search by meaning as a project's config asks for it, in whole sessions, with a server on loopback. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ToolIndex, toolIndexOf } from "../../../src/catalog/tool_index.ts";
import { openSession, type Session } from "../../../src/session/session.ts";
import { narrowToGroups } from "../../../src/agents/tools.ts";
import { textOf } from "../../../src/tool/result.ts";
import { discoverySurface } from "../../../src/server/discovery.ts";
import { FakeClock } from "../../_clock.ts";
import { until } from "../../_wait.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { refuseKey } from "../../../src/trust/keys.ts";
import { withVariables } from "../../_io.ts";
import { policyOf } from "../../_session.ts";
import { configText } from "../../_upstream.ts";
import { EmbeddingServer } from "../../catalog/meaning/_embedding_server.ts";

const pets = `name: pets
command: echo
tools:
  - name: feed
    description: Give food to a cat
  - name: forecast
    description: Rain to come
`;

interface Opened {
  readonly session: Session;
  readonly server: EmbeddingServer;
  readonly dir: string;
}

/** A session over two tools and `embeddings`, with an empty cache of its own. */
async function withEmbeddings(
  use: (opened: Opened) => Promise<void>,
  { embeddings = {}, policy, server = new EmbeddingServer(), clock = new FakeClock() }: {
    embeddings?: object;
    policy?: string;
    server?: EmbeddingServer;
    clock?: FakeClock;
  } = {},
): Promise<void> {
  await using _server = server;
  await using dir = await scratch();
  using _set = withVariables({ CLIMAX_CACHE_DIR: join(dir.path, "cache") });
  const whole = { endpoint: server.endpoint, model: "m", ...embeddings };
  const text = configText([], { embeddings: whole, cliConfigs: ["pets"] });
  const file = join(dir.path, "tamamo-x.config.json");
  await Deno.writeTextFile(file, text);
  await using session = await openSession({
    configs: [{ file: "pets.yaml", text: pets }],
    mcp: [file],
    clock,
    policy: policy === undefined ? undefined : policyOf(policy),
  });
  await use({ session, server, dir: dir.path });
}

const query = "an umbrella perhaps";

async function found({ index }: Pick<Session, "index">, cli?: string): Promise<string[]> {
  const results = await toolIndexOf(index).find({
    query,
    ...(cli === undefined ? {} : { cli }),
  });
  return results.map(({ tool_name }) => tool_name);
}

Deno.test("a session sends nothing until it is to search by meaning, and then does", async () => {
  await withEmbeddings(async ({ session, server, dir }) => {
    session.followSources();
    assert.deepEqual(await found(session), []);
    assert.deepEqual(server.asked, []);
    await session.searchByMeaning();
    assert.deepEqual(server.asked.map(({ model, input }) => ({ model, input })), [{
      model: "m",
      input: ["pets: feed\nGive food to a cat", "pets: forecast\nRain to come"],
    }]);
    assert.equal((await found(session))[0], "forecast");
    const files = [...Deno.readDirSync(join(dir, "cache", "embeddings"))];
    assert.deepEqual(files.map(({ name }) => /^[0-9a-f]{64}\.bin$/.test(name)), [true]);
  });
});

Deno.test("what a policy takes away is not sent", async () => {
  await withEmbeddings(async ({ session, server }) => {
    await session.searchByMeaning();
    assert.deepEqual(server.asked.map(({ input }) => input), [["pets: feed\nGive food to a cat"]]);
  }, { policy: "tools:\n  feed: {}\n" });
});

Deno.test("an index that takes another's place has embedded what is new of it, by group too", async () => {
  await withEmbeddings(async ({ session, server }) => {
    await session.searchByMeaning();
    const [feed, forecast] = session.index.tools;
    const news = { ...feed!, name: "bill", description: "Money to pay" };
    server.asked.length = 0;
    session.catalog.replace(new ToolIndex([forecast!, news]));
    await until(async () => (await found(session)).length > 0, "a tool by meaning");
    assert.deepEqual(server.asked[0]!.input, ["pets: bill\nMoney to pay"]);
    // What went and came back is kept, and a part of the catalogue has what the whole has
    server.asked.length = 0;
    session.catalog.replace(new ToolIndex([feed!, forecast!]));
    const group = {
      id: "sky",
      name: "Sky",
      description: "",
      systemPrompt: "",
      complementarityScore: 1,
      tools: [{ name: "forecast", server: "pets" }],
    };
    const file = { groups: [group] } as unknown as Parameters<typeof narrowToGroups>[1];
    const context = narrowToGroups(session, file);
    await session.searchByMeaning(context);
    assert.deepEqual(await found(context), ["forecast"]);
    assert.deepEqual(server.asked.map(({ input }) => input), [[query]]);
  });
});

Deno.test("a server that fails is asked again, and meanwhile words answer", async () => {
  const server = new EmbeddingServer();
  const clock = new FakeClock();
  const { answer } = server;
  server.answer = () => new Response("starting", { status: 503 });
  await withEmbeddings(async ({ session }) => {
    await session.searchByMeaning();
    assert.deepEqual(await found(session), []);
    const byWords = await toolIndexOf(session.index).find({ query: "some rain" });
    assert.deepEqual(byWords.length, 1);
    // Later and later
    for (const ms of [1000, 2000]) {
      const asked = server.asked.length;
      await clock.advance(ms - 1);
      assert.equal(server.asked.length, asked);
      await clock.advance(1);
      await clock.timer(2 * ms);
      assert.equal(server.asked.length, asked + 1);
    }
    server.answer = answer;
    await clock.advance(4000);
    await until(async () => (await found(session))[0] === "forecast", "the new tool");
  }, { server, clock });
});

Deno.test("the key comes from its variable; without it nothing is sent", async () => {
  const variable = "CLIMAX_TEST_EMBEDDINGS_KEY";
  const embeddings = { apiKeyVariable: variable };
  {
    await using home = await scratch();
    const set = { [variable]: "k", HOME: home.path, XDG_CONFIG_HOME: home.path };
    using _set = withVariables(set);
    await using server = new EmbeddingServer();
    const { endpoint } = server;
    const use = { endpoint, source: `the variable ${variable}` };
    assert.match((await refuseKey(use))!.message, /is not sent to http:\/\/127\.0\.0\.1:\d+: you/);
    await withEmbeddings(async ({ session }) => {
      await session.searchByMeaning();
      assert.deepEqual(server.asked, []);
    }, { embeddings: { ...embeddings, endpoint } });
    assert.equal(await refuseKey(use, () => Promise.resolve(true)), undefined);
    await withEmbeddings(async ({ session }) => {
      await session.searchByMeaning();
      assert.equal(server.asked[0]!.authorization, "Bearer k");
      assert.equal(session.permissions().net, true);
    }, { embeddings: { ...embeddings, endpoint } });
  }
  await withEmbeddings(async ({ session, server }) => {
    await session.searchByMeaning();
    assert.deepEqual(await found(session), []);
    assert.deepEqual(server.asked, []);
    assert.equal(session.permissions().net, false);
  }, { embeddings });
});

Deno.test("climax_search has no hint on a filter where meaning finds something", async () => {
  await withEmbeddings(async ({ session }) => {
    const surface = discoverySurface(session);
    const search = () => surface.call("climax_search", { query, cli: "pets" }, {});
    assert.match(textOf(await search()), /No tool of CLI 'pets' matches/);
    await session.searchByMeaning();
    const { content } = await search();
    assert.equal(content.length, 1);
    assert.match(textOf({ content }), /"forecast"/);
  });
});
