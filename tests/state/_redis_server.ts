/** A real Redis on a port of its own, without files. Tests that start one need {@linkcode redisServer}. */

import { freePort } from "../_free_port.ts";
import { programs } from "../_requirements.ts";
import { until } from "../_wait.ts";

/** For tests that start one. */
export const redisServer = await programs({ "redis-server": ["--version"] });

export interface RedisServer extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** Asks it as its own client does; returns the reply as it is on the wire. */
  ask(...words: string[]): Promise<string>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
}

/** Starts a server with more `options`, and waits until it answers. */
export async function startRedis(
  given: { port?: number; options?: readonly string[] } = {},
): Promise<RedisServer> {
  const { port = freePort(), options = [] } = given;
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", ...options];
  const child = new Deno.Command("redis-server", {
    args,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const said = child.stdout.text();
  let isEnded = false;
  void child.status.then(() => isEnded = true);
  const ask = (...words: string[]) => askRedis(port, words);
  const answers = async () => (await ask("PING").catch(() => "")) !== "";
  await until(async () => isEnded || await answers(), "Redis answers");
  if (isEnded) {
    const text = await said;
    // Another server may have taken the port
    const isTaken = given.port === undefined && text.includes("already in use");
    if (isTaken) return await startRedis({ options });
    throw new Error(`Redis has ended:\n${text}`);
  }
  const kill = async () => {
    if (!isEnded) child.kill("SIGKILL");
    isEnded = true;
    await child.status;
  };
  return { port, pid: child.pid, ask, kill, [Symbol.asyncDispose]: kill };
}

async function askRedis(port: number, words: readonly string[]): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const parts = words.map((word) => `$${new TextEncoder().encode(word).length}\r\n${word}\r\n`);
  await connection.write(new TextEncoder().encode(`*${words.length}\r\n${parts.join("")}`));
  const buffer = new Uint8Array(65_536);
  const length = await connection.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, length ?? 0));
}
