/** The thinnest client there can be: what is measured is the server, not a client's library. */

interface ServerOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Answers the requests of the server. @default it makes none */
  readonly answer?: (method: string, params: Readonly<Record<string, unknown>>) => object;
}

/** A server that is being measured. */
export class BenchServer {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #read: Promise<void>;
  readonly #answer: ServerOptions["answer"];
  #lastId = 0;

  constructor(
    [program, ...args]: readonly [string, ...string[]],
    { answer, ...place }: ServerOptions = {},
  ) {
    this.#answer = answer;
    this.#child = new Deno.Command(program, {
      args,
      ...place,
      clearEnv: place.env !== undefined,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#read = this.#readLines();
  }

  /** Sends a request; resolves with its result. */
  async request(method: string, params?: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    await this.#send({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** Calls a tool; a result with `isError` is thrown. */
  async call(name: string, args: unknown): Promise<void> {
    const result = await this.request("tools/call", { name, arguments: args });
    if ((result as { isError?: boolean }).isError) throw new Error(JSON.stringify(result));
  }

  /** The handshake of the 2025 revisions, as most clients still do it. */
  async initialize(): Promise<unknown> {
    const result = await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: this.#answer === undefined ? {} : { elicitation: {} },
      clientInfo: { name: "bench", version: "1.0.0" },
    });
    await this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return result;
  }

  /** Resident memory of the server in MiB, as the system counts it. */
  async residentMemory(): Promise<number> {
    const args = ["-o", "rss=", "-p", String(this.#child.pid)];
    const { stdout } = await new Deno.Command("ps", { args }).output();
    return Number(new TextDecoder().decode(stdout)) / 1024;
  }

  processorTime(): number {
    return processorTimeOf(this.#child.pid);
  }

  /** Ends the input and waits for the server to go. */
  async close(): Promise<void> {
    await this.#input.close();
    await this.#child.status;
    await this.#read;
  }

  async #send(message: object): Promise<void> {
    await this.#input.write(this.#encoder.encode(`${JSON.stringify(message)}\n`));
  }

  async #readLines(): Promise<void> {
    let rest = "";
    for await (const chunk of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const message = JSON.parse(line) as Message;
        if (message.method !== undefined) {
          const { id, method, params = {} } = message;
          const result = this.#answer?.(method, params) ?? {};
          if (id !== undefined) void this.#send({ jsonrpc: "2.0", id, result });
          continue;
        }
        this.#waiting.get(message.id)?.(message);
        this.#waiting.delete(message.id);
      }
    }
    for (const [id, answer] of this.#waiting) answer({ id, error: "the server has ended" });
  }
}

interface Message {
  readonly id: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Milliseconds of processor time of all threads of a process, on Linux. */
export function processorTimeOf(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const threads = [...Deno.readDirSync(folder)].map(({ name }) => {
    try {
      return Number(Deno.readTextFileSync(`${folder}/${name}/schedstat`).split(" ")[0]);
    } catch (error) {
      // It has ended
      if (error instanceof Deno.errors.NotFound) return 0;
      throw error;
    }
  });
  return threads.reduce((sum, each) => sum + each, 0) / 1e6;
}
