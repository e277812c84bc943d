/**
 * Starts a program in a worker, which reads its pipes. Deno for Windows reads each pipe in one of the few threads of a
 * runtime, and a worker has a runtime of its own: a program that runs for long, such as a server, takes none of the
 * threads that calls need. See https://github.com/denoland/deno/pull/26465.
 */

export interface RunningProgram {
  readonly pid: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly status: Promise<Deno.CommandStatus>;
  kill(signal: Deno.Signal): void;
}

type OutputName = "stdout" | "stderr";

type Request =
  | { readonly start: { readonly program: string; readonly options: Deno.CommandOptions } }
  | { readonly pull: OutputName }
  | { readonly write: Uint8Array }
  | { readonly close: true }
  | { readonly kill: Deno.Signal };

type Reply =
  | {
    readonly failure: { readonly name: string; readonly message: string; readonly code?: string };
  }
  | { readonly pid: number }
  | { readonly wrote: boolean }
  | { readonly from: OutputName; readonly chunk: Uint8Array | undefined }
  | { readonly status: Deno.CommandStatus };

/** Serves the pipes of a program. A worker gets the text of this function, which so uses nothing around it. */
function servePipes(): void {
  const thread = globalThis as unknown as {
    onmessage: (event: { data: Request }) => void;
    postMessage(reply: Reply): void;
    close(): void;
  };
  let child: Deno.ChildProcess;
  let input: WritableStreamDefaultWriter<Uint8Array>;
  let outputs: Record<OutputName, ReadableStreamDefaultReader<Uint8Array>>;
  thread.onmessage = async ({ data }) => {
    if ("start" in data) {
      try {
        child = new Deno.Command(data.start.program, data.start.options).spawn();
      } catch (error) {
        const { name, message, code } = error as Error & { code?: string };
        thread.postMessage({ failure: { name, message, ...(code === undefined ? {} : { code }) } });
        return thread.close();
      }
      input = child.stdin.getWriter();
      outputs = { stdout: child.stdout.getReader(), stderr: child.stderr.getReader() };
      thread.postMessage({ pid: child.pid });
      thread.postMessage({ status: await child.status });
    } else if ("pull" in data) {
      const chunk = await outputs[data.pull].read().then(({ value }) => value, () => undefined);
      thread.postMessage({ from: data.pull, chunk });
    } else if ("write" in data) {
      const wrote = await input.write(data.write).then(() => true, () => false);
      thread.postMessage({ wrote });
    } else if ("close" in data) {
      await input.close().catch(() => {});
    } else {
      try {
        child.kill(data.kill);
      } catch {
        // The program has ended already
      }
    }
  };
}

/** Starts `program` with pipes for its input and its output. @throws what Deno throws */
export async function startInThread(
  program: string,
  options: Deno.CommandOptions,
): Promise<ProgramThread> {
  const piped = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const thread = new ProgramThread();
  await thread.start(program, { ...options, ...piped });
  return thread;
}

class ProgramThread implements RunningProgram {
  pid!: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly #thread: Worker;
  readonly #pid = Promise.withResolvers<number>();
  readonly #status = Promise.withResolvers<Deno.CommandStatus>();
  readonly #writes: ((wrote: boolean) => void)[] = [];
  readonly #reads = new Map<OutputName, (chunk: Uint8Array | undefined) => void>();
  #isReleased = false;

  constructor() {
    const code = encodeURIComponent(`(${servePipes})()`);
    this.#thread = new Worker(`data:text/javascript,${code}`, { type: "module" });
    this.#thread.onmessage = ({ data }) => this.#receive(data);
    this.#thread.onerror = (event) => {
      event.preventDefault();
      this.#pid.reject(new Error(event.message));
      this.#status.resolve({ success: false, code: 1, signal: null });
    };
    this.stdin = new WritableStream({
      write: (chunk) => this.#write(chunk),
      close: () => this.#send({ close: true }),
      abort: () => this.#send({ close: true }),
    });
    this.stdout = this.#output("stdout");
    this.stderr = this.#output("stderr");
  }

  get status(): Promise<Deno.CommandStatus> {
    return this.#status.promise;
  }

  /** Starts a program, before anything else is called. @throws what Deno throws */
  async start(program: string, options: Deno.CommandOptions): Promise<void> {
    this.#send({ start: { program, options } });
    try {
      this.pid = await this.#pid.promise;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  kill(signal: Deno.Signal): void {
    this.#send({ kill: signal });
  }

  /** Ends the worker, and the streams with it. The program must have ended. */
  release(): void {
    this.#isReleased = true;
    this.#thread.terminate();
    for (const take of this.#reads.values()) take(undefined);
    for (const take of this.#writes.splice(0)) take(false);
  }

  #send(request: Request): void {
    this.#thread.postMessage(request);
  }

  #receive(reply: Reply): void {
    if ("failure" in reply) this.#pid.reject(errorOf(reply.failure));
    else if ("pid" in reply) this.#pid.resolve(reply.pid);
    else if ("wrote" in reply) this.#writes.shift()?.(reply.wrote);
    else if ("from" in reply) this.#reads.get(reply.from)?.(reply.chunk);
    else this.#status.resolve(reply.status);
  }

  async #write(chunk: Uint8Array): Promise<void> {
    const wrote = !this.#isReleased && await new Promise<boolean>((take) => {
      this.#writes.push(take);
      this.#send({ write: chunk });
    });
    if (!wrote) throw new Deno.errors.BrokenPipe("the program does not read");
  }

  /** Makes a stream that requests a chunk whenever its reader does. */
  #output(name: OutputName): ReadableStream<Uint8Array> {
    const next = () =>
      new Promise<Uint8Array | undefined>((take) => {
        this.#reads.set(name, take);
        this.#send({ pull: name });
      });
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const chunk = this.#isReleased ? undefined : await next();
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
    }, { highWaterMark: 0 });
  }
}

/** Makes an error of the same class as in the worker: the class says why the start failed. */
function errorOf({ name, message, code }: Extract<Reply, { failure: unknown }>["failure"]): Error {
  const classes = Deno.errors as unknown as Record<string, new (message: string) => Error>;
  const error = new (classes[name] ?? Error)(message);
  return code === undefined ? error : Object.assign(error, { code });
}
