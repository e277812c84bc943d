/** A client of MCP over HTTP that costs little, as clients of 2025 are: with a session, if the server has any. */

import { processorTimeOf } from "./_client.ts";
import type { Started } from "./_http_server.ts";
import { time } from "./_stats.ts";

/** Calls of one sample: one after the other, and so many with fifty at once. */
const [inTurn, inBurst] = [30, 500];
export const atOnce = 50;

/** The tool that is called. */
export interface Called {
  readonly version: string;
  /** @default `echo`, as the server itself has it */
  readonly call?: { readonly name: string; readonly arguments: object };
}

export const echo = { name: "echo", arguments: { text: "hi" } };

/** A client of 2025 with a session, if the server has any. */
export class GatewayClient {
  readonly name: string;
  readonly version: string;
  readonly server: Started;
  readonly #params: string;
  #lastId = 0;
  /** Processor time of each call of a burst, without that of the server behind the gateway. */
  readonly processorUs: number[] = [];
  readonly #headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };

  constructor(name: string, { version, call = echo }: Called, server: Started) {
    this.name = name;
    this.version = version;
    this.server = server;
    this.#params = JSON.stringify(call);
  }

  async open(): Promise<void> {
    const clientInfo = { name: "bench", version: "1.0.0" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const request = { jsonrpc: "2.0", id: 0, method: "initialize", params };
    const response = await this.#post(JSON.stringify(request));
    await response.text();
    const session = response.headers.get("mcp-session-id");
    if (session !== null) this.#headers["mcp-session-id"] = session;
    this.#headers["mcp-protocol-version"] = "2025-11-25";
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    await (await this.#post(JSON.stringify(initialized))).text();
    for (let tries = 0; tries < 100; tries++) {
      // Some connect to their servers after they listen
      if (await this.call().then(() => true, () => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await this.call();
  }

  async call(): Promise<void> {
    // Sessions tell requests apart by it
    const id = ++this.#lastId;
    const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${this.#params}}`;
    const text = await (await this.#post(body)).text();
    if (!/"text":"hi"/.test(text)) throw new Error(`${this.name} answered ${text}`);
  }

  /** Milliseconds of a call, one after the other. */
  async single(): Promise<number> {
    const all = await time(async () => {
      for (let done = 0; done < inTurn; done++) await this.call();
    });
    return all / inTurn;
  }

  /** Milliseconds for each of many calls at once. */
  async burst(): Promise<number> {
    const before = processorTimeOf(this.server.pid);
    let left = inBurst;
    const all = await time(() =>
      Promise.all(Array.from({ length: atOnce }, async () => {
        while (left-- > 0) await this.call();
      }))
    );
    this.processorUs.push((processorTimeOf(this.server.pid) - before) * 1000 / inBurst);
    return all / inBurst;
  }

  /** Resident MiB. */
  memory(): number {
    const status = Deno.readTextFileSync(`/proc/${this.server.pid}/status`);
    return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
  }

  async #post(body: string): Promise<Response> {
    return await fetch(this.server.url, { method: "POST", headers: this.#headers, body });
  }
}
