/** Two profiles of one server, and clients of both and of one: whatever they try, nothing of the other profile is there. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { newToken } from "../../../src/server/http/tokens.ts";
import { identityKey } from "../../../src/process/identity.ts";
import { profileScope } from "../../../src/process/profile.ts";
import { configText, featured } from "../../_upstream.ts";
import { processTools } from "../../_requirements.ts";
import { AuthServer } from "../../sources/upstream/_auth_server.ts";
import { logInAt, stateFolderOfTest } from "../../sources/upstream/_login.ts";
import { keyFile } from "../../state/_key_file.ts";
import { redisServer, startRedis } from "../../state/_redis_server.ts";
import { envelope, post, send } from "../../server/http/_server.ts";
import { startHttpProcess } from "../../e2e/_http.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";

const { ignore } = processTools;

const names = ["ada", "bob", "eve"] as const;
type Name = typeof names[number];

/** Both profiles have tools of the same names, and each has one more. */
function tools(own: string): string {
  return `name: works
description: works of ${own}
command: ""
tools:
  - { name: where, description: Print the folder, command: pwd, effect: read }
  - { name: only_${own}, description: Only in ${own}, command: pwd, effect: read }
  - { name: long, description: Much of ${own}, command: seq 1 60000, effect: read }
  - { name: later, description: A job, command: sleep 3600, background: true, timeout: 7200 }
  - { name: agreed, description: Asks a person, command: touch ran }
  - name: show
    description: Show a file
    command: cat
    effect: read
    args: [{ name: path, description: A path, type: string, required: true, positional: true }]
`;
}

const policy = `default: enabled
tools:
  agreed: { confirm: true }
  show: { args: { path: { within: . } } }
`;

interface Served extends AsyncDisposable {
  readonly dir: Scratch;
  readonly url: string;
  readonly audit: string;
  post(name: Name, path: string, body: object, headers?: Record<string, string>): Promise<Response>;
  /** The result of a request of 2026-07-28, or its error. */
  ask(name: Name, profile: string, method: string, params?: object): Promise<Answer>;
  call(name: Name, profile: string, tool: string, args?: object): Promise<string>;
  logged(pattern: RegExp): Promise<unknown>;
}

// deno-lint-ignore no-explicit-any
type Answer = any;

/** With a second instance, which shares a store with the first, requests go to the two in turn. */
async function serve({ words = [], isShared = false }: {
  readonly words?: readonly string[];
  readonly isShared?: boolean;
} = {}): Promise<Served> {
  const dir = await scratch();
  const redis = isShared ? await startRedis({}) : undefined;
  const state = redis === undefined
    ? []
    : ["--state", `valkey://127.0.0.1:${redis.port}`, "--signing-key", keyFile(dir.path)];
  const path = (name: string) => join(dir.path, name);
  for (const own of ["shop", "bank"]) {
    await Deno.mkdir(path(own));
    await Deno.writeTextFile(path(`${own}/secret`), `the secret of ${own}`);
    await Deno.writeTextFile(path(`${own}.yaml`), tools(own));
    await Deno.writeTextFile(path(`${own}.json`), configText([featured("notes", own)]));
  }
  await Deno.writeTextFile(path("policy.yaml"), policy);
  await Deno.writeTextFile(
    path("profiles.yaml"),
    `profiles:
  shop: { directory: shop, configs: [./shop.yaml], mcp: [shop.json], policy: policy.yaml, clients: [ada] }
  bank: { directory: bank, configs: [./bank.yaml], mcp: [bank.json], policy: policy.yaml, clients: [ada, bob] }
`,
  );
  const made = await Promise.all(names.map((name) => newToken(name)));
  await Deno.writeTextFile(path("tokens"), made.map(({ line }) => `${line}\n`).join(""));
  const audit = path("audit.jsonl");
  const files = ["--profiles", path("profiles.yaml"), "--tokens", path("tokens")];
  const start = (audit: string) => {
    const options = [...files, "--audit", audit, ...state, ...words];
    return startHttpProcess(options, { CLIMAX_CACHE_DIR: path("cache") });
  };
  const servers = isShared ? [start(audit), start(`${audit}.2`)] : [start(audit)];
  const [server] = servers;
  const urls = await Promise.all(
    servers.map(async (each) => (await each.url()).replace(/\/mcp$/, "")),
  );
  const url = urls[0]!;
  let turn = 0;
  const sendAs: Served["post"] = (name, path, body, headers = {}) => {
    const authorization = `Bearer ${made[names.indexOf(name)]!.token}`;
    return send(urls[turn++ % urls.length]! + path, body, { authorization, ...headers });
  };
  const ask: Served["ask"] = async (name, profile, method, params = {}) => {
    const named = params as {
      readonly name?: string;
      readonly uri?: string;
      readonly taskId?: string;
    };
    const target = named.name ?? named.uri ?? named.taskId;
    const _meta = {
      ...envelope,
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    };
    const body = { method, params: { ...params, _meta } };
    const response = await sendAs(name, `/mcp/p/${profile}`, body, {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...target === undefined ? {} : { "mcp-name": target },
    });
    const { result, error } = await response.json();
    return result ?? error;
  };
  return {
    ...{ dir, url, audit, post: sendAs, ask },
    logged: (pattern) => server!.logged(pattern),
    async call(name, profile, tool, args = {}) {
      const params = { name: "climax_call", arguments: { tool_name: tool, args } };
      const { content, message } = await ask(name, profile, "tools/call", params);
      return content?.map(({ text }: { text: string }) => text).join("\n") ?? message;
    },
    async [Symbol.asyncDispose]() {
      for (const each of servers) await each[Symbol.asyncDispose]();
      await redis?.[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

processTools.test("a client finds its profiles, and no sign of another", async () => {
  await using served = await serve();
  const statusOf = async (name: Name, path: string) => {
    const response = await served.post(name, path, { method: "tools/list" });
    return [response.status, await response.text()] as const;
  };
  const unknown = await statusOf("bob", "/mcp/p/nothing");
  assert.equal(unknown[0], 404);
  for (
    const path of [
      ...["/mcp/p/shop", "/mcp/p/", "/mcp/p/SHOP", "/mcp/p/%73hop", "/mcp/p/bank/../shop"],
      ...["/mcp/p/bank/"],
    ]
  ) {
    assert.deepEqual(await statusOf("bob", path), unknown, path);
  }
  for (const profile of ["shop", "bank"]) {
    assert.deepEqual(await statusOf("eve", `/mcp/p/${profile}`), unknown);
    const anonymous = await fetch(`${served.url}/mcp/p/${profile}`, { method: "POST", body: "{}" });
    const nothing = await fetch(`${served.url}/mcp/p/nothing`, { method: "POST", body: "{}" });
    assert.equal(anonymous.status, 401);
    assert.deepEqual(await anonymous.text(), await nothing.text());
  }
  assert.equal((await served.post("ada", "/mcp", { method: "tools/list" })).status, 404);

  for (const [own, other] of [["shop", "bank"], ["bank", "shop"]] as const) {
    const seen = await Promise.all([
      served.ask("ada", own, "server/discover"),
      served.ask("ada", own, "tools/list"),
      served.ask("ada", own, "prompts/list"),
      served.ask("ada", own, "resources/list"),
      served.ask("ada", own, "resources/templates/list"),
      served.ask("ada", own, "tools/call", { name: "climax_search", arguments: {} }),
      ...["only", other, "works", "notes"].map((query) => {
        const request = { query, limit: "100" };
        return served.ask("ada", own, "tools/call", { name: "climax_search", arguments: request });
      }),
      served.call("ada", own, `only_${other}`),
      served.call("ada", own, `only_${own}x`),
    ]);
    const text = JSON.stringify(seen).replaceAll(`"query":"${other}"`, "");
    const left = text.replaceAll(`only_${other}\\n`, "").replaceAll(
      `Unknown tool: only_${other}`,
      "",
    );
    assert.doesNotMatch(left, new RegExp(other), own);
    assert.match(text, new RegExp(`only_${own}`));
  }
});

processTools.test("no id of one profile is known in another", () => attackIds(false));

Deno.test(
  "nor at any instance that shares a store",
  { ignore: ignore || redisServer.ignore },
  () => attackIds(true),
);

async function attackIds(isShared: boolean): Promise<void> {
  await using served = await serve({ isShared });
  const { ask, call } = served;
  const output = /"?(k\w{12})"?/.exec(await call("ada", "shop", "long"))![1]!;
  assert.match(await call("ada", "shop", "output_read", { id: output }), /^1\n2\n/);
  await call("ada", "bank", "long");
  const job = /"id": "(j\w{12})"/.exec(await call("ada", "shop", "later"))![1]!;
  const guessed = `j${"a".repeat(12)}`;
  await call("ada", "bank", "later");
  for (const name of ["ada", "bob"] as const) {
    const ofAnother = (tool: string, id: string) => call(name, "bank", tool, { id });
    assert.equal(
      (await ofAnother("output_read", output)).replaceAll(output, "ID"),
      (await ofAnother("output_read", `k${"a".repeat(12)}`)).replaceAll(`k${"a".repeat(12)}`, "ID"),
    );
    for (const tool of ["job_status", "job_result", "job_cancel"]) {
      assert.equal(
        (await ofAnother(tool, job)).replaceAll(job, "ID"),
        (await ofAnother(tool, guessed)).replaceAll(guessed, "ID"),
      );
    }
    for (const method of ["tasks/get", "tasks/cancel"]) {
      const [taken, unknown] = await Promise.all([job, guessed].map((taskId) => {
        return ask(name, "bank", method, { taskId });
      }));
      assert.equal(
        JSON.stringify(taken).replaceAll(job, "ID"),
        JSON.stringify(unknown).replaceAll(guessed, "ID"),
      );
      assert.equal(taken.code < 0, true, JSON.stringify(taken));
    }
    assert.doesNotMatch(await call(name, "bank", "job_list"), new RegExp(job));
  }
  assert.match(await call("ada", "shop", "job_status", { id: job }), /running/);
  await call("ada", "shop", "job_cancel", { id: job });

  // A question of one profile is not answered in the other, where the same call is asked for too
  const agreed = { name: "climax_call", arguments: { tool_name: "agreed", args: {} } };
  const { requestState, inputRequests } = await ask("ada", "shop", "tools/call", agreed);
  const [question] = Object.keys(inputRequests);
  const inputResponses = { [question!]: { action: "accept", content: { confirm: true } } };
  const retry = { ...agreed, requestState, inputResponses };
  for (const name of ["ada", "bob"] as const) {
    const { content, isError } = await ask(name, "bank", "tools/call", retry);
    assert.equal(isError, true);
    assert.match(content[0].text, /matches no open question|is for another call/);
  }
  const ran = (own: string) =>
    Deno.stat(join(served.dir.path, own, "ran")).then(() => true, () => false);
  assert.deepEqual([await ran("shop"), await ran("bank")], [false, false]);

  const initialize = {
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "attack", version: "1" },
    },
  };
  // A session is known to its instance only
  if (isShared) return;
  const begun = await served.post("ada", "/mcp/p/shop", initialize);
  await begun.body?.cancel();
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id")! };
  const level = { method: "logging/setLevel", params: { level: "debug" } };
  for (const name of ["ada", "bob"] as const) {
    const taken = await served.post(name, "/mcp/p/bank", level, session);
    assert.equal(taken.status, 404);
    await taken.body?.cancel();
  }
  const own = await served.post("ada", "/mcp/p/shop", level, session);
  assert.equal(own.status, 200);
  await own.body?.cancel();
}

processTools.test("each profile runs in its directory, however calls mix", async () => {
  await using served = await serve({ words: ["--concurrency", "3"] });
  const { call, dir } = served;
  const runs = await Promise.all(Array.from({ length: 30 }, async (_, at) => {
    const own = at % 2 === 0 ? "shop" : "bank";
    const args = { path: "secret" };
    const [where, shown] = await Promise.all([
      call("ada", own, "where"),
      call("ada", own, "show", args),
    ]);
    return [own, where, shown];
  }));
  for (const [own, where, shown] of runs) {
    assert.deepEqual([where, shown], [join(dir.path, own!), `the secret of ${own}`]);
  }
  await Deno.symlink(join(dir.path, "shop"), join(dir.path, "bank", "link"));
  for (const path of ["../shop/secret", join(dir.path, "shop/secret"), "link/secret"]) {
    assert.doesNotMatch(await call("bob", "bank", "show", { path }), /the secret of shop/, path);
  }
  assert.equal(await call("bob", "bank", "show", { path: "secret" }), "the secret of bank");
  const lines = (await Deno.readTextFile(served.audit)).trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.equal(lines.every(({ profile }) => profile === "shop" || profile === "bank"), true);
});

processTools.test("an edited file of profiles is obeyed, a broken one is not", async () => {
  await using served = await serve();
  const file = join(served.dir.path, "profiles.yaml");
  const written = await Deno.readTextFile(file);
  const put = async (text: string) => {
    await Deno.writeTextFile(`${file}.new`, text);
    await Deno.rename(`${file}.new`, file);
  };
  const seen = (name: Name) => {
    return Promise.all(["shop", "bank"].map((profile) => served.call(name, profile, "where")));
  };
  const [shop, bank] = ["shop", "bank"].map((own) => join(served.dir.path, own));
  const none = "There is no such profile for this client";
  assert.deepEqual([await seen("ada"), await seen("bob")], [[shop, bank], [none, bank]]);
  await put(written.replace("directory: shop", "directory: bank"));
  await served.logged(/share files[^]*The changes are not loaded/);
  assert.deepEqual([await seen("ada"), await seen("bob")], [[shop, bank], [none, bank]]);
  const job = /"id": "(j\w{12})"/.exec(await served.call("ada", "shop", "later"))![1]!;
  await put(written.replace(/ {2}bank.*\n/, "").replace("[ada]", "[ada, bob]"));
  await served.logged(/The changes are loaded/);
  assert.deepEqual([await seen("ada"), await seen("bob")], [[shop, none], [shop, none]]);
  // Only who may use it has changed, so it runs on
  assert.match(await served.call("ada", "shop", "job_status", { id: job }), /running/);
});

Deno.test("no login is used in a profile but its own", async () => {
  await using dir = await scratch();
  using state = stateFolderOfTest();
  await using upstream = new AuthServer();
  const path = (name: string) => join(dir.path, name);
  await Deno.writeTextFile(
    path("servers.json"),
    configText([{ name: "far", transport: "http", url: upstream.url }]),
  );
  await Promise.all(["shop", "bank"].map((own) => Deno.mkdir(path(own))));
  await Deno.writeTextFile(
    path("profiles.yaml"),
    "profiles: { shop: { directory: shop, mcp: [servers.json] }, bank: { directory: bank, mcp: [servers.json] } }",
  );
  const { line, token } = await newToken("ada");
  await Deno.writeTextFile(path("tokens"), `${line}\n`);
  const ada = identityKey({ name: "ada", by: "tokens", authority: path("tokens") });
  await logInAt(upstream, upstream.spec(), { subject: "operator" });
  await logInAt(upstream, upstream.spec(), { person: ada, subject: "ada" });
  const inShop = profileScope("shop", dir.path);
  await inShop(() => logInAt(upstream, upstream.spec(), { subject: "operator of the shop" }));
  await inShop(() =>
    logInAt(upstream, upstream.spec(), { person: ada, subject: "ada in the shop" })
  );
  const files = ["--profiles", path("profiles.yaml"), "--tokens", path("tokens")];
  await using server = startHttpProcess(["--classic", ...files], {
    CLIMAX_STATE_DIR: state.path,
    CLIMAX_CACHE_DIR: path("cache"),
  });
  const url = (await server.url()).replace(/\/mcp$/, "");
  const call = async (profile: string): Promise<string> => {
    const params = { name: "far__whoami", arguments: {} };
    const bearer = { authorization: `Bearer ${token}` };
    const response = await post(`${url}/mcp/p/${profile}`, "tools/call", params, bearer);
    return await response.text();
  };
  assert.match(await call("shop"), /ada in the shop/);
  const refused = await call("bank");
  assert.doesNotMatch(refused, /\bada in|operator/);
  assert.match(refused, /Unknown tool|needs a login/);
});
