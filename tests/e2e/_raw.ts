/**
 * The server with its bare pipes, for what no client would send: broken messages, an input that
 * ends, and every byte that comes out.
 */

import { climaxRun, environment } from "./_server.ts";
import { processTools } from "../_requirements.ts";
import { within } from "../_wait.ts";
import { spawn } from "../_run.ts";

/** Warnings about programs of other tests, and about folders that `npx` puts on PATH; no test is about them. */
const othersLine = /^\S+ warning: (?:\d+ programs? left over from|PATH: left out) .*\n/gm;

/** The warning on a machine without `ps`, which comes after a second. */
const blindLine = /^\S+ warning: 'ps' cannot be run: .*\n/m;

/** The log without lines that are no matter of the test. */
function ownLog(log: string): string {
  const own = log.replace(othersLine, "");
  return processTools.ignore ? own.replace(blindLine, "") : own;
}

/** A JSON-RPC message as it came. */
export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly method?: string;
  // deno-lint-ignore no-explicit-any
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A running server. Start one with {@linkcode startRaw}. */
export class RawServer implements AsyncDisposable {
  /** Every line of stdout so far. */
  readonly lines: string[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<Uint8Array>;
  readonly #read: Promise<void>;
  readonly #readLog: Promise<void>;
  #log = "";
  readonly #waiting = new Set<() => void>();
  #lastId = 0;

  constructor(child: Deno.ChildProcess, { readLog = true }: { readLog?: boolean } = {}) {
    this.#child = child;
    this.#input = child.stdin.getWriter();
    this.#output = child.stdout.getReader();
    this.#read = this.#readLines();
    this.#readLog = readLog ? this.#collectLog() : Promise.resolve();
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Writes a line as it is. */
  async sendText(line: string): Promise<void> {
    await this.#input.write(new TextEncoder().encode(`${line}\n`));
  }

  /** Sends a message and waits for nothing. */
  async send(message: object): Promise<void> {
    await this.sendText(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** Sends a request and returns its answer. */
  async request(method: string, params?: unknown): Promise<Message> {
    const id = ++this.#lastId;
    await this.send({ id, method, params });
    return await this.message((message) => message.id === id);
  }

  /** Cancels the request `requestId`. */
  async cancel(requestId: string | number): Promise<void> {
    await this.send({ method: "notifications/cancelled", params: { requestId } });
  }

  /** Calls a tool by its own name. */
  async call(name: string, args?: unknown): Promise<{ text: string; isError: boolean }> {
    const { result } = await this.request("tools/call", { name, arguments: args });
    return { text: result.content[0].text, isError: result.isError };
  }

  /** The handshake of the 2025 revisions. */
  async initialize(protocolVersion = "2025-11-25"): Promise<Message> {
    const clientInfo = { name: "raw", version: "1.0.0" };
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const answer = await this.request("initialize", params);
    await this.send({ method: "notifications/initialized" });
    return answer;
  }

  /** Makes the handshake, and returns the server. */
  async ready(): Promise<this> {
    try {
      await this.initialize();
      return this;
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The first message that fits, come or still to come. */
  async message(fits: (message: Message) => boolean): Promise<Message> {
    return await within(this.#message(fits), "a message from the server");
  }

  async #message(fits: (message: Message) => boolean): Promise<Message> {
    for (let position = 0;; position++) {
      while (position >= this.lines.length) {
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
      const message = JSON.parse(this.lines[position]!) as Message;
      if (fits(message)) return message;
    }
  }

  /** Waits until stderr has `text` in it. */
  async logged(text: string): Promise<void> {
    const seen = async () => {
      while (!this.#log.includes(text)) {
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    };
    await within(seen(), `'${text}' on stderr`);
  }

  /** Closes our end of the server's standard output, as a client that has gone. */
  async dropOutput(): Promise<void> {
    await this.#output.cancel();
  }

  /** Ends the server's standard input. */
  async closeInput(): Promise<void> {
    await this.#input.close().catch(() => {});
  }

  /** Sends a signal to the server. */
  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Waits for the end: exit code, stderr, and (in `lines`) everything on stdout. */
  async ended(): Promise<{ code: number; stderr: string }> {
    const { code } = await within(this.#child.status, "the end of the server");
    await this.#read;
    await this.#readLog;
    if (!this.#child.stderr.locked) await this.#child.stderr.cancel();
    return { code, stderr: ownLog(this.#log) };
  }

  async #readLines(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    while (true) {
      const { value, done } = await this.#output.read();
      if (done) break;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop()!;
      this.lines.push(...parts);
      this.#wake();
    }
    if (rest !== "") this.lines.push(rest);
    this.#wake();
  }

  async #collectLog(): Promise<void> {
    for await (const chunk of this.#child.stderr.pipeThrough(new TextDecoderStream())) {
      this.#log += chunk;
      this.#wake();
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeInput();
    // By itself: a server that is killed leaves its programs behind
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      try {
        this.#child.kill(signal);
      } catch {
        // It has ended by itself
      }
      if (await this.ended().then(() => true, () => false)) return;
    }
  }
}

/** Settings of a raw server's start. */
export interface RawSettings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** True to read stderr as it comes; otherwise it fills up. @default true */
  readonly readLog?: boolean;
}

/** Starts `climax run` with `args`. */
export function startRaw(
  args: readonly string[],
  settings: RawSettings = {},
): RawServer {
  return startRawFrom(climaxRun(...args), settings);
}

/** Starts `climax run` with `args`, and makes the handshake. */
export async function startReady(
  args: readonly string[],
  settings?: RawSettings,
): Promise<RawServer> {
  return await startRaw(args, settings).ready();
}

/** Starts the server that a command line is. */
export function startRawFrom(
  words: readonly string[],
  { cwd, env, readLog = true }: RawSettings = {},
): RawServer {
  return new RawServer(spawn(words, { cwd, env: environment(env) }), { readLog });
}
