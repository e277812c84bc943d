/** Files, servers and keys of a project are used only after the person has accepted what was shown. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { EmbeddingServer } from "../catalog/meaning/_embedding_server.ts";
import { climax, climaxOnTerminal, ends } from "../cli/commands/_climax.ts";
import { configText, odd } from "../_upstream.ts";
import { connect } from "./_clients.ts";
import { scratch, writeFiles } from "./_scratch.ts";

const pets = "name: pets\ncommand: echo\ntools: [{ name: forecast, description: Rain to come }]\n";
const query = ["search", "./pets.yaml", "--mcp", "climax.json", "--", "an", "umbrella", "perhaps"];

/** A project with an embedding server and a server that defines one tool. */
async function project(more: object = {}) {
  const embeddings = new EmbeddingServer();
  const { endpoint } = embeddings;
  const named = { endpoint, model: "m", apiKeyVariable: "PETS_KEY" };
  const dir = await scratch();
  const cwd = dir.path;
  const servers = [odd("files", "defined", "definitions.json")];
  const write = (rest: object) => writeFiles(cwd, { "climax.json": configText(servers, rest) });
  await writeFiles(cwd, {
    "pets.yaml": pets,
    "definitions.json": [{ name: "read", inputSchema: { type: "object" } }],
  });
  await write(more);
  const env = (person = "me") => ({
    PETS_KEY: "the-key-of-pets",
    OTHER_KEY: "another-key",
    HOME: join(cwd, person),
    XDG_CONFIG_HOME: join(cwd, person, "settings"),
    CLIMAX_CACHE_DIR: join(cwd, "cache"),
  });
  const run = (args: readonly string[], person?: string) => climax(args, { cwd, env: env(person) });
  return {
    ...{ cwd, run, write, embeddings, named, env },
    async [Symbol.asyncDispose]() {
      await dir[Symbol.asyncDispose]();
      await embeddings[Symbol.asyncDispose]();
    },
  };
}

Deno.test("what a commit adds to an accepted file is not used, and its servers are", async () => {
  await using place = await project();
  const { run, write, embeddings, named } = place;
  await ends(run(["trust", "--all", "--yes"]), { code: 0 });
  const evil: readonly (readonly [what: string, rest: object])[] = [
    ["an embedding server", { embeddings: { ...named, apiKeyVariable: undefined } }],
    ["one that gets a key", { embeddings: named }],
    ["a format of results", { results: "compact" }],
    ["a provider's address", {
      llmProvider: { type: "openai", model: "m", endpointOverride: embeddings.endpoint },
    }],
    ["configs", { cliConfigs: ["./pets.yaml"] }],
  ];
  for (const [what, rest] of evil) {
    await write(rest);
    const unasked = await ends(run(["trust", "--all"]), { code: 2 });
    assert.match(unasked.stdout, /all but its servers: not accepted: not a terminal/, what);
    for (const words of [query, ["list", "--mcp", "climax.json"]]) {
      const { stderr } = await run(words);
      const [key] = Object.keys(rest);
      assert.match(stderr, new RegExp(`Not used, .*'${key}'[^]*climax trust --all`), what);
    }
    assert.match((await run(["list", "--mcp", "climax.json"])).stdout, /files__read/, what);
  }
  assert.deepEqual(embeddings.asked, []);
  assert.match((await run(["list"])).stderr, /^Also climax\.json: 1 MCP server$/m);
});

Deno.test("an embedding server that was shown gets the key that was shown, and no other", async () => {
  await using place = await project();
  const { run, write, embeddings, named, cwd, env } = place;
  await write({ embeddings: named });
  const shown = await ends(run(["trust", "--all", "--yes"]), { code: 0 });
  const { origin, host } = new URL(named.endpoint);
  for (const part of ['"apiKeyVariable": "PETS_KEY"', `the variable PETS_KEY to ${origin}? yes`]) {
    assert.ok(shown.stdout.includes(part), shown.stdout);
  }
  await using client = await connect(["./pets.yaml", "--mcp", "climax.json"], { cwd, env: env() });
  const search = { query: "an umbrella perhaps" };
  for (let tries = 0; tries < 50 && embeddings.asked.length === 0; tries++) {
    await client.call("climax_search", search);
  }
  const keys = new Set(embeddings.asked.map(({ authorization }) => authorization));
  assert.deepEqual([...keys], ["Bearer the-key-of-pets"]);
  const file = join(cwd, "me", "settings", "climax", "accepted.json");
  const { entries } = JSON.parse(await Deno.readTextFile(file));
  assert.deepEqual(
    entries.map((entry: Record<string, string>) => [entry["kind"], entry["part"]]),
    [["key", "the variable PETS_KEY"], ["rest", ""], ["server", "files"]],
  );
  assert.equal(entries[0].path, host);
  assert.equal(JSON.stringify(entries).includes("the-key-of-pets"), false);

  // The text alone is accepted, by an edit of the list: the key waits for a yes of its own
  const rest = entries.filter((entry: Record<string, string>) => entry["kind"] !== "key");
  await Deno.writeTextFile(file, JSON.stringify({ version: 1, entries: rest }));
  embeddings.asked.length = 0;
  await ends(run(query), { stderr: /The key from the variable PETS_KEY is not sent to http/ });
  assert.deepEqual(embeddings.asked, []);
});

Deno.test("a person at a terminal accepts a file, and denies a key to its address", async () => {
  await using place = await project();
  const { run, write, embeddings, named, cwd } = place;
  await write({ embeddings: named });
  const env = { ...place.env(), TERM: "dumb" };
  const words = ["trust", "--all"];
  const said = await climaxOnTerminal(words, { cwd, env, stdin: "y\ny\ny\nn\n" });
  assert.match(
    said,
    /Use it\? \[y\/N\]\n.*accepted\nSend the key from the variable PETS_KEY to http:/,
  );
  assert.match(
    said,
    /The key from the variable PETS_KEY is not sent to http:.*you have not agreed/,
  );
  await ends(run(query), { stderr: /is not sent to http.*\n.*hint: .*climax trust --all/ });
  assert.equal(embeddings.asked.length, 0);
  const again = await climaxOnTerminal(words, { cwd, env, stdin: "y\ny\n" });
  assert.match(again, /its servers: as accepted\nSend the key from the variable PETS_KEY/);
  await run(query);
  assert.equal(embeddings.asked.at(0)?.authorization, "Bearer the-key-of-pets");
});
