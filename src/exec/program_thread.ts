/**
 * Starts a program in a worker, which reads its pipes. Deno for Windows reads each pipe in one of the few threads of a
 * runtime, and a worker has a runtime of its own: a program that runs for long, such as a server, takes none of the
 * threads that calls need.
 */

/** A program that runs, as far as it is used. */
export interface RunningProgram {
  readonly pid: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly status: Promise<Deno.CommandStatus>;
  kill(signal: Deno.Signal): void;
}

export interface ThreadedProgram extends RunningProgram {
  /** Ends the worker, whose streams end then. The program must have ended. */
  release(): void;
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

/** The code of the worker. Its text is sent there, so it uses nothing of this module. */
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
        // It has ended
      }
    }
  };
}

/** Starts `program` with pipes for its input and its output. @throws what Deno throws */
export async function startInThread(
  program: string,
  options: Deno.CommandOptions,
): Promise<ThreadedProgram> {
  const code = encodeURIComponent(`(${servePipes})()`);
  const thread = new Worker(`data:text/javascript,${code}`, { type: "module" });
  const send = (request: Request) => thread.postMessage(request);
  const pid = Promise.withResolvers<number>();
  const status = Promise.withResolvers<Deno.CommandStatus>();
  const written: ((wrote: boolean) => void)[] = [];
  const read: { [Name in OutputName]?: ((chunk: Uint8Array | undefined) => void) | undefined } = {};
  let isReleased = false;
  thread.onmessage = ({ data }: { data: Reply }) => {
    if ("failure" in data) pid.reject(errorOf(data.failure));
    else if ("pid" in data) pid.resolve(data.pid);
    else if ("wrote" in data) written.shift()?.(data.wrote);
    else if ("from" in data) read[data.from]?.(data.chunk);
    else status.resolve(data.status);
  };
  thread.onerror = (event) => {
    event.preventDefault();
    pid.reject(new Error(event.message));
  };
  const release = () => {
    isReleased = true;
    thread.terminate();
    for (const end of [read.stdout, read.stderr]) end?.(undefined);
    for (const end of written.splice(0)) end(false);
  };
  const outputOf = (name: OutputName) =>
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        const chunk = isReleased ? undefined : await new Promise<Uint8Array | undefined>((take) => {
          read[name] = take;
          send({ pull: name });
        });
        read[name] = undefined;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
    }, { highWaterMark: 0 });
  const stdin = new WritableStream<Uint8Array>({
    async write(chunk) {
      const wrote = !isReleased && await new Promise<boolean>((take) => {
        written.push(take);
        send({ write: chunk });
      });
      if (!wrote) throw new Deno.errors.BrokenPipe("the program does not read");
    },
    close: () => send({ close: true }),
    abort: () => send({ close: true }),
  });
  const piped = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  send({ start: { program, options: { ...options, ...piped } } });
  try {
    return {
      pid: await pid.promise,
      stdin,
      stdout: outputOf("stdout"),
      stderr: outputOf("stderr"),
      status: status.promise,
      kill: (signal) => send({ kill: signal }),
      release,
    };
  } catch (error) {
    thread.terminate();
    throw error;
  }
}

/** The same error as in the worker: its class tells what is wrong. */
function errorOf({ name, message, code }: Extract<Reply, { failure: unknown }>["failure"]): Error {
  const classes = Deno.errors as unknown as Record<string, new (message: string) => Error>;
  const error = new (classes[name] ?? Error)(message);
  return code === undefined ? error : Object.assign(error, { code });
}
