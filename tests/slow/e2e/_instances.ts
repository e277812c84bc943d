/** Several instances of climax behind a real nginx, with a real Redis. Tests need {@linkcode instancesRequirement}. */

import { post } from "../../server/http/_server.ts";
import { keyFile } from "../../state/_key_file.ts";
import { type RedisServer, redisServer, startRedis } from "../../state/_redis_server.ts";
import { type Tests, testsUnless } from "../../_requirements.ts";
import { type HttpProcess, startHttpProcess } from "../../e2e/_http.ts";
import { nginx, type Proxy, startProxy } from "./_proxy.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { newToken } from "../../e2e/_token.ts";

/** For tests that start some. */
export const instancesRequirement: Tests = testsUnless(
  nginx.ignore || redisServer.ignore || Deno.build.os === "windows",
);

/** An answer, as a model reads it. */
export interface Answered {
  readonly text: string;
  readonly isError: boolean;
}

export interface Instances extends AsyncDisposable {
  readonly dir: string;
  readonly redis: RedisServer;
  /** Each with its own number, from 0. */
  readonly processes: readonly HttpProcess[];
  /** The URL at which nginx listens. */
  readonly url: string;
  /** The tokens of the clients. */
  readonly secrets: Readonly<Record<"ada" | "bob", string>>;
  /** Ends all of them as an operator does, and starts as many. The proxy still has the ports of the first. */
  restart(): Promise<void>;
  /** Sends a request as `client` to the instance `at`, or through nginx. */
  send(method: string, params: Record<string, unknown>, who?: Caller): Promise<Response>;
  /** Calls a tool of the catalogue. */
  call(tool: string, args?: object, who?: Caller): Promise<Answered>;
}

/** A client, `ada` by default, and an instance, by default the next one of nginx. */
export interface Caller {
  readonly client?: "ada" | "bob";
  readonly at?: number;
}

export interface InstancesSettings {
  readonly words?: readonly string[];
  readonly count?: number;
  /** The files of a test, before instances start; returns the configs. */
  readonly write: (dir: string) => Promise<readonly string[]>;
}

export async function startInstances(
  { words = [], count = 3, write }: InstancesSettings,
): Promise<Instances> {
  const dir = await scratch();
  const redis = await startRedis();
  const tokens = `${dir.path}/tokens`;
  const secrets = { ada: await newToken(tokens, "ada"), bob: await newToken(tokens, "bob") };
  const configs = await write(dir.path);
  const state = ["--state", `valkey://127.0.0.1:${redis.port}`, "--signing-key", keyFile(dir.path)];
  const start = (port = 0) => {
    const address = ["--http", String(port)];
    return startHttpProcess([...configs, ...address, "--tokens", tokens, ...state, ...words]);
  };
  const processes = Array.from({ length: count }, () => start());
  const urls = await Promise.all(processes.map((process) => process.url()));
  const proxy = await startProxy(dir, urls);
  const send: Instances["send"] = (method, params, { client = "ada", at } = {}) => {
    const { taskId } = params;
    const named = typeof taskId === "string" ? { "mcp-name": taskId } : {};
    const headers = { authorization: `Bearer ${secrets[client]}`, ...named };
    return post(at === undefined ? proxy.url : urls[at]!, method, params, headers);
  };
  return {
    dir: dir.path,
    redis,
    processes,
    url: proxy.url,
    secrets,
    send,
    async restart() {
      for (const process of processes) process.kill("SIGTERM");
      await Promise.all(processes.map((process) => process.ended()));
      for (const [at, url] of urls.entries()) processes[at] = start(Number(new URL(url).port));
      await Promise.all(processes.map((process) => process.url()));
    },
    async call(tool_name, args = {}, who) {
      const params = { name: "climax_call", arguments: { tool_name, args } };
      const { result, error } = await (await send("tools/call", params, who)).json();
      if (error !== undefined) return { text: error.message, isError: true };
      const texts = result.content.map(({ text }: { text: string }) => text);
      return { text: texts.join("\n"), isError: result.isError ?? false };
    },
    [Symbol.asyncDispose]: () => end(dir, redis, proxy, processes),
  };
}

async function end(
  dir: Scratch,
  redis: RedisServer,
  proxy: Proxy,
  processes: readonly HttpProcess[],
): Promise<void> {
  await proxy[Symbol.asyncDispose]();
  for (const process of processes) await process[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
}
