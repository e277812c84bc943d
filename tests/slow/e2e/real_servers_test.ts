/**
 * Servers that others wrote, directly and through climax: all answers are equal but for what docs/servers.md names.
 * The servers come from npm, so these tests are slow ones.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  Client,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { configText, type ServerSketch } from "../../_upstream.ts";
import { deadlineMs, until, within } from "../../_wait.ts";
import { startHttpProcess } from "../../e2e/_http.ts";
import { type RealRequest, type RealServer, realServers } from "./_real_servers.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, climaxRun, environment } from "../../e2e/_server.ts";

/** A way to a server, which is `direct` without climax. */
interface Way {
  readonly name: string;
  readonly mode: "direct" | "discovery" | "classic";
  readonly http: boolean;
  readonly era: "auto" | "legacy";
}

const direct: Way = { name: "directly", mode: "direct", http: false, era: "auto" };

const ways: readonly Way[] = [
  { name: "stdio, discovery", mode: "discovery", http: false, era: "auto" },
  { name: "HTTP, classic", mode: "classic", http: true, era: "legacy" },
];

for (const server of realServers) {
  Deno.test({
    name: `${server.name} answers through climax as it does directly`,
    async fn(test) {
      const expected = await answersBy(direct, server);
      for (const way of ways) {
        await test.step(way.name, async () => {
          const seen = await answersBy(way, server, expected.offers);
          for (const [at, { request, answer }] of expected.answers.entries()) {
            assert.deepEqual(seen.answers[at], { request, answer });
          }
          assert.deepEqual(seen.refusals, expected.refusals);
          assert.deepEqual(seen.offers, expected.offers);
          if (way.mode === "classic") assert.deepEqual(seen.tools, expected.tools);
        });
      }
    },
  });
}

/** Sends the whole series; then waits until the server offers `expected`, which the requests may have changed. */
async function answersBy(way: Way, server: RealServer, expected?: unknown) {
  await using dir = await scratch();
  const files = join(dir.path, "files");
  await Deno.mkdir(files);
  await server.prepare?.(files);
  await using client = await connected(way, await server.sketch(files), dir.path);
  const { requests, refused } = server.series(files);
  const prefix = way.mode === "direct" ? "" : `${server.name}__`;
  const plain = (value: unknown) => withoutPlaces(value, files);
  const answers = [];
  for (const request of requests) {
    const answer = await answerTo(client, way, request, prefix);
    answers.push({ request: plain(request), answer: plain(answer) });
  }
  const refusals = [];
  for (const request of refused) {
    const answer = await answerTo(client, way, request, prefix);
    const isRefused = "code" in answer || answer.isError === true;
    refusals.push({ request: plain(request), isRefused });
  }
  assert.deepEqual(refusals.filter(({ isRefused }) => !isRefused), []);
  const offersNow = async () => plain(await offersOf(client, prefix));
  const isExpected = async () => isDeepStrictEqual(await offersNow(), expected);
  if (expected !== undefined) await until(isExpected, "what is offered").catch(() => {});
  const { tools } = await client.listTools();
  return { answers, refusals, offers: await offersNow(), tools: tools.map(toolWords) };

  // docs/servers.md names the rest
  function toolWords({ name, description, inputSchema, outputSchema, annotations }: Tool) {
    const { readOnlyHint, destructiveHint, openWorldHint } = annotations ?? {};
    const claims = { readOnlyHint, openWorldHint, ...readOnlyHint ? {} : { destructiveHint } };
    return { name: name.slice(prefix.length), description, inputSchema, outputSchema, claims };
  }
}

async function offersOf(client: Client, prefix: string) {
  const { prompts, resources } = client.getServerCapabilities()!;
  const own = <T extends { name: string }>(it: T) => ({
    ...it,
    name: it.name.slice(prefix.length),
  });
  return {
    prompts: prompts ? (await client.listPrompts()).prompts.map(own) : [],
    resources: resources ? (await client.listResources()).resources : [],
    templates: resources ? (await client.listResourceTemplates()).resourceTemplates : [],
  };
}

async function connected(way: Way, sketch: ServerSketch, dir: string) {
  const identity = { name: "climax-tests", version: "1.0.0" };
  // The capabilities of climax as a client: servers decide by them what they offer
  const capabilities = { elicitation: { form: {}, url: {} } };
  const client = new Client(identity, { capabilities, versionNegotiation: { mode: way.era } });
  const stack = new AsyncDisposableStack();
  const transport = await transportOf(way, sketch, dir, stack);
  await within(client.connect(transport, { timeout: deadlineMs() }), `the server, ${way.name}`);
  stack.defer(() => client.close());
  return Object.assign(client, { [Symbol.asyncDispose]: () => stack.disposeAsync() });
}

async function transportOf(
  { mode, http }: Way,
  sketch: ServerSketch,
  dir: string,
  stack: AsyncDisposableStack,
): Promise<Transport> {
  if (mode === "direct") {
    const { command, args = [], env = {} } = sketch as unknown as Program;
    return programTransport([command, ...args], env);
  }
  const file = join(dir, "servers.json");
  await Deno.writeTextFile(file, configText([sketch]));
  const own = { CLIMAX_CACHE_DIR: join(dir, "cache") };
  // A client asks only once, and a server may take longer to start than climax waits for
  const [program, ...args] = climax("list", "--mcp", file);
  const options = { args, env: environment(own), clearEnv: true };
  const { code, stderr } = await new Deno.Command(program, options).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const words = ["--mcp", file, ...(mode === "classic" ? ["--classic"] : [])];
  if (!http) return programTransport(climaxRun(...words), own);
  const process = stack.use(startHttpProcess(words, own));
  return new StreamableHTTPClientTransport(new URL(await process.url()));
}

interface Program {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function programTransport(
  [command, ...args]: [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Transport {
  return new StdioClientTransport({ command, args, env: environment(env), stderr: "ignore" });
}

/** The result, or the code and message of the error. */
async function answerTo(
  client: Client,
  { mode }: Way,
  request: RealRequest,
  prefix: string,
): Promise<Record<string, unknown>> {
  const options = { timeout: deadlineMs() };
  try {
    if ("tool" in request) {
      const { args = {} } = request;
      const name = prefix + request.tool;
      const params = mode === "discovery"
        ? { name: "climax_call", arguments: { tool_name: name, args } }
        : { name, arguments: args };
      const { isError = false, ...result } = await client.callTool(params, options);
      return { ...result, isError };
    }
    if ("prompt" in request) {
      const params = { name: prefix + request.prompt, arguments: request.args ?? {} };
      return { ...await client.getPrompt(params, options) };
    }
    if ("resource" in request) {
      return { ...await client.readResource({ uri: request.resource }, options) };
    }
    const { complete, of, argument } = request;
    const ref = of === "prompt"
      ? { type: "ref/prompt" as const, name: prefix + complete }
      : { type: "ref/resource" as const, uri: complete };
    return { ...await client.complete({ ref, argument: { name: argument, value: "" } }, options) };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    return { code, message };
  }
}

/** Without what each connection has for itself, and what differs between two runs: the folder, and times. */
function withoutPlaces(value: unknown, dir: string): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner) => {
    if (key === "_meta" || key === "ttlMs" || key === "cacheScope") return undefined;
    if (typeof inner !== "string") return inner;
    const text = key === "blob" ? atob(inner) : inner;
    return text.replaceAll(dir, "DIR").replaceAll(dir.slice(1), "DIR")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.]\d+)?/g, "TIME")
      .replace(/\d+:\d\d:\d\d [AP]M/g, "TIME");
  });
}
