/**
 * The transport of MCP over stdin and stdout of a child process. The SDK's own transport does not end the children of
 * the program (https://github.com/modelcontextprotocol/typescript-sdk/issues/2023).
 */

import { Buffer } from "node:buffer";
import { visible } from "../../text/escape.ts";
import { cleanText } from "./_clean_texts.ts";
import {
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { brokenOff } from "./_http.ts";
import { PlainToolCalls } from "./_tool_calls.ts";
import { basicVariables } from "../../exec/child_environment.ts";
import { type ChildServer, startChildServer } from "../../exec/child_server.ts";
import type { StartFailure } from "../../exec/invocation.ts";
import { messageOf } from "../../errors.ts";
import { deeper } from "../../process/own_command.ts";
import { log } from "../../log.ts";
import { serverSandbox } from "./spec.ts";
import { excerpt, quote } from "../../text/excerpt.ts";
import { excessOf, scanMessage } from "../../text/message_scan.ts";
import { type ByteSource, type Excess, splitLines, TextWriter } from "../../text/lines.ts";
import { connectMs, maxMessageBytes } from "./_bounds.ts";
import type { StdioSpec } from "./spec.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";

export class StdioClientTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly stderr = null;
  readonly tail = new Tail();
  readonly plain = new PlainToolCalls((message) => this.send(message));
  readonly #decoder = new TextDecoder();
  #companion: ChildServer | undefined;
  #writer: TextWriter | undefined;
  #ended: string | undefined;
  #closed = false;
  #stray: string | undefined;
  #hasAnswered = false;

  constructor(private readonly name: string, private readonly spec: StdioSpec) {}

  get pid(): number | null {
    return this.#companion?.pid ?? null;
  }

  get ended(): string | undefined {
    return this.#ended;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, sandbox: written } = this.spec;
    const sandbox = written === undefined ? undefined : await serverSandbox(written);
    const started = await startChildServer({
      argv: [command, ...args],
      env: { ...env, ...deeper() },
      inherit: basicVariables,
      ...(cwd && { cwd }),
      sandbox,
      onStderr: (chunk) => this.tail.add(chunk),
    });
    if (!started.ok) throw new Error(startText(started.failure, started.detail, this.spec));
    const { companion } = started;
    this.#companion = companion;
    this.#writer = new TextWriter(companion.stdin.getWriter());
    void this.#read(companion);
    void companion.ended.then((how) => {
      if (!this.#closed) this.#ended = how;
      void this.close();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const fail = () => {
      throw new SdkError(SdkErrorCode.SendFailed, "the connection is closed");
    };
    if (this.#writer === undefined || this.#closed) return fail();
    await this.#writer.write(`${JSON.stringify(message)}\n`).catch(fail);
  }

  async close(forceSignal?: AbortSignal): Promise<void> {
    const isFirst = !this.#closed;
    this.#closed = true;
    // Closing stdin is not awaited: it may never end if the program does not read its input
    if (isFirst) this.#writer?.close().catch(() => {});
    await this.#companion?.end(forceSignal);
    if (isFirst) this.onclose?.();
    this.plain.close();
  }

  async #read({ stdout }: ChildServer): Promise<void> {
    try {
      const excess = { head: new Uint8Array(), tail: new Uint8Array(), isEndless: false };
      for await (const line of splitLines(reuseBuffer(stdout), maxMessageBytes, excess)) {
        if (line === "oversized") {
          if (this.#failAnswer(excess)) continue;
          const limit = `${maxMessageBytes / 1024 / 1024} MiB`;
          this.#ended = `it sent a message of over ${limit}, and was ended`;
          return await this.close();
        }
        if (excessOf(scanMessage(line)) !== undefined) {
          this.#ended = "it sent a message with too many values, and was ended";
          return await this.close();
        }
        this.#receive(this.#decoder.decode(line));
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
    }
    if (!this.#closed) await this.#companion?.end();
  }

  /** Fails the one request whose answer is too long; false if its id cannot be read. */
  #failAnswer({ head, tail, isEndless }: Excess): boolean {
    const [, id] =
      /^\{(?:"jsonrpc": ?"2\.0", ?)?"id": ?(\d{1,16}),/.exec(new TextDecoder().decode(head)) ??
        /,"id": ?(\d{1,16})\}\s*$/.exec(new TextDecoder().decode(tail)) ?? [];
    if (isEndless || id === undefined) return false;
    const message = `its answer has over ${maxMessageBytes / 1024 / 1024} MiB`;
    const error = { code: -32000, message, data: brokenOff };
    const left = this.plain.receive({ jsonrpc: "2.0", id: Number(id), error });
    if (left !== undefined) this.onmessage?.(left);
    return true;
  }

  #receive(text: string): void {
    if (text.trim() === "") return;
    try {
      // In MCP 2025-03-26 a line may have a list of messages
      for (const each of [JSON.parse(text)].flat()) {
        const message = this.plain.receive(each);
        this.#hasAnswered = true;
        if (message !== undefined) this.onmessage?.(message);
      }
    } catch {
      this.#onStray(quote(shortLine(text)));
    }
  }

  /** Logs a line that is no message. A program that prints such lines and no message is no MCP server, and is ended. */
  #onStray(line: string): void {
    const level = this.#stray === undefined ? "info" : "debug";
    log(level, `server '${this.name}' printed a line that is not a message: ${line}`);
    if (this.#stray === undefined && !this.#hasAnswered) {
      const end = () => {
        if (this.#hasAnswered || this.#closed) return;
        this.#ended = `it printed ${line}, and nothing that is a message of MCP`;
        void this.close();
      };
      Deno.unrefTimer(setTimeout(end, connectMs));
    }
    this.#stray ??= line;
  }
}

/** Reads into one buffer, since a new buffer for each read would take a fifth of the time of a call. */
function reuseBuffer(stream: ReadableStream<Uint8Array>): Pick<ByteSource, "read"> {
  if (Deno.build.os === "windows") return stream.getReader();
  const reader = stream.getReader({ mode: "byob" });
  let bytes = new Uint8Array(64 * 1024);
  const read = async () => {
    const { value, done } = await reader.read(bytes);
    if (done) return {};
    bytes = new Uint8Array(value.buffer);
    return { value };
  };
  return { read };
}

function startText(failure: StartFailure, detail: string, { command, cwd }: StdioSpec): string {
  switch (failure) {
    case "command not found":
      return `program '${command}' is not found`;
    case "not executable":
    case "no program of this system":
      return `program '${command}' is ${failure}`;
    case "not permitted":
      return `this program may not run '${command}': start it with --allow-run=${command}`;
    case "no sandbox":
    case "refused":
      return detail;
    case "working directory not found":
    case "working directory is no directory":
      return `${failure}: ${cwd}`;
    default:
      return `program '${command}' cannot be started: ${detail || failure}`;
  }
}

const maxTailBytes = 16 * 1024;
const shownLines = 5;
const maxLineLength = 300;

/** Matches lines of stderr that explain nothing, such as frames of a stack: an error message leaves them out. */
const dumb =
  /^\s+(?:at |File ")|^[\W_]*$|^Node\.js v|^(?:file|node):|^\s*(?:throw|raise) |^Traceback |^npm (?:warn|notice) |^\S+:\d+$/i;

const telling =
  /error|exception|fatal|panic|require|missing|must|cannot|could not|unable|fail|denied|invalid|not (?:found|set)|no such/i;

class Tail {
  #bytes = new Uint8Array();

  add(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-maxTailBytes);
  }

  clear(): void {
    this.#bytes = new Uint8Array();
  }

  lines(): string[] {
    const lines = stripControlSequences(new TextDecoder().decode(this.#bytes)).split(/\r?\n|\r/)
      .filter((line) => !dumb.test(line));
    const { outer = [], inner = [], rest = [] } = Object.groupBy(lines, (line) => {
      return !telling.test(line) ? "rest" : /^\s/.test(line) ? "inner" : "outer";
    });
    const others = rest.filter((line) => !/^\s/.test(line)).slice(-shownLines);
    return [...outer, ...inner, ...others].slice(0, shownLines).map(shortLine);
  }
}

function shortLine(line: string): string {
  return visible(cleanText(excerpt(line.trim(), maxLineLength)));
}
