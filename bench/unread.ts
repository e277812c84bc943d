/**
 * A client that does not read holds up nobody: while megabytes of answers lie unread, other calls are run, and afterwards
 * every answer is whole. `deno run -A bench/unread.ts` prints how long such a call takes beside one with nothing unread.
 */

import { join } from "node:path";
import { climaxServer } from "./_servers.ts";

/** Calls whose answers are not read, and the characters of each. */
const unread = 12;
const characters = 200_000;

/** Calls that are timed. */
const rounds = 20;

/** What was measured, as a line of text. */
export async function measureUnread(directory: string): Promise<string> {
  const config = join(directory, "unread.yaml");
  await Deno.writeTextFile(config, configText);
  const read = await timesBeside(config, directory, 0);
  const beside = await timesBeside(config, directory, unread);
  return `a call while ${unread * characters / 1e6} MB of answers lie unread: ${shown(beside)}; ` +
    `with nothing unread ${shown(read)}; all answers were whole`;
}

const configText = `name: bench
command: sh
tools:
  - name: long
    description: Prints a long line
    argv: ["-c", "head -c ${characters} /dev/zero | tr '\\\\0' x"]
  - name: touch
    description: Creates a file
    argv: ["-c", 'echo > "$0"', "{path}"]
    args: [{ name: path, required: true }]
`;

/** Milliseconds until a call has run while the answers of `count` others lie unread. */
async function timesBeside(config: string, directory: string, count: number): Promise<number[]> {
  const client = new SlowClient([...climaxServer(config), "--max-result-tokens", "0"]);
  const meta = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  await client.send("initialize", meta);
  await client.answers(1);
  const times: number[] = [];
  for (let call = 0; call < count; call++) await client.call("long", {});
  for (let round = 0; round < rounds; round++) {
    const path = join(directory, `${count}-${round}`);
    const started = performance.now();
    await client.call("touch", { path });
    while (!await exists(path)) await new Promise((resolve) => setTimeout(resolve, 1));
    times.push(performance.now() - started);
  }
  const answers = await client.answers(count + rounds);
  const whole = answers.filter((line) => line.includes("x".repeat(characters)));
  if (whole.length !== count) throw new Error(`${whole.length} of ${count} answers are whole`);
  await client.close();
  return times;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

/** A client that reads when it is told to. */
class SlowClient {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: ReadableStreamDefaultReader<string>;
  #lastId = 0;
  #rest = "";

  constructor([program, ...args]: readonly string[]) {
    const pipes = { stdin: "piped", stdout: "piped", stderr: "inherit" } as const;
    this.#child = new Deno.Command(program!, { args, ...pipes }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#lines = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  async send(method: string, params: object): Promise<void> {
    const line = JSON.stringify({ jsonrpc: "2.0", id: ++this.#lastId, method, params });
    await this.#input.write(new TextEncoder().encode(`${line}\n`));
  }

  async call(tool: string, args: object): Promise<void> {
    await this.send("tools/call", { name: "climax_call", arguments: { tool_name: tool, args } });
  }

  /** Reads the next `count` answers. */
  async answers(count: number): Promise<string[]> {
    const lines: string[] = [];
    while (lines.length < count) {
      const { value, done } = await this.#lines.read();
      if (done) throw new Error("The server has ended");
      const parts = (this.#rest + value).split("\n");
      this.#rest = parts.pop()!;
      lines.push(...parts.filter((part) => part.includes('"id":')));
    }
    return lines;
  }

  async close(): Promise<void> {
    await this.#input.close();
    await this.#lines.cancel();
    await this.#child.status;
  }
}

function shown(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return `${sorted[sorted.length >> 1]!.toFixed(1)} ms (median), ${
    sorted.at(-1)!.toFixed(1)
  } ms at most`;
}

if (import.meta.main) {
  const directory = await Deno.makeTempDir({ prefix: "climax-bench-" });
  const text = await measureUnread(directory);
  await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
  await Deno.remove(directory, { recursive: true });
}
