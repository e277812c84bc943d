/**
 * Starts a program in a worker, which reads its pipes. Deno for Windows reads each pipe in one of the few threads of a
 * runtime, and a worker has a runtime of its own. See https://github.com/denoland/deno/pull/26465.
 */

export interface RunningProgram {
  readonly pid: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly status: Promise<Deno.CommandStatus>;
  kill(signal: Deno.Signal): void;
}

type Request =
  | { readonly program: string; readonly options: Deno.CommandOptions }
  | { readonly signal: Deno.Signal };

type Started = Pick<RunningProgram, "pid" | "stdin" | "stdout" | "stderr">;

interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
}

type Reply = Started | { readonly failure: Failure } | { readonly status: Deno.CommandStatus };

/** Runs a program in a worker. The worker gets only the text of this function, which must use nothing from outside. */
function serveProgram(): void {
  const thread = globalThis as unknown as {
    onmessage: (event: { data: Request }) => void;
    postMessage(reply: Reply, transfer?: readonly object[]): void;
    close(): void;
  };
  let child: Deno.ChildProcess;
  thread.onmessage = async ({ data }) => {
    if ("signal" in data) {
      try {
        child.kill(data.signal);
      } catch {
        // `kill` throws if the program has ended already, which is no fault
      }
      return;
    }
    try {
      child = new Deno.Command(data.program, data.options).spawn();
    } catch (error) {
      const { name, message, code } = error as Failure;
      thread.postMessage({ failure: { name, message, code } });
      return thread.close();
    }
    const { pid, stdin, stdout, stderr } = child;
    thread.postMessage({ pid, stdin, stdout, stderr }, [stdin, stdout, stderr]);
    thread.postMessage({ status: await child.status });
  };
}

/** Starts a program in a worker. `release` ends the worker after the end of the program. @throws what Deno throws */
export async function startInThread(
  program: string,
  options: Deno.CommandOptions,
): Promise<RunningProgram & { release(): void }> {
  const code = encodeURIComponent(`(${serveProgram})()`);
  const thread = new Worker(`data:text/javascript,${code}`, { type: "module" });
  const started = Promise.withResolvers<Started>();
  const status = Promise.withResolvers<Deno.CommandStatus>();
  const released = Promise.withResolvers<void>();
  thread.onmessage = ({ data }: { data: Reply }) => {
    if ("failure" in data) started.reject(errorOf(data.failure));
    else if ("pid" in data) started.resolve(data);
    else status.resolve(data.status);
  };
  thread.onerror = (event) => {
    event.preventDefault();
    started.reject(new Error(event.message));
    status.resolve({ success: false, code: 1, signal: null });
  };
  const release = () => {
    thread.terminate();
    released.resolve();
  };
  const send = (request: Request) => thread.postMessage(request);
  send({ program, options: { ...options, stdin: "piped", stdout: "piped", stderr: "piped" } });
  try {
    const { pid, stdin, stdout, stderr } = await started.promise;
    return {
      pid,
      stdin: writableUntil(released.promise, stdin),
      stdout: readableUntil(released.promise, stdout),
      stderr: readableUntil(released.promise, stderr),
      status: status.promise,
      kill: (signal) => send({ signal }),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns a stream that ends with `stream`, or at `end`: a stream of an ended worker would never end. */
function readableUntil(end: Promise<void>, stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const until = waiterUntil(end);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = await until(reader.read());
      if (chunk?.value === undefined) controller.close();
      else controller.enqueue(chunk.value);
    },
  }, { highWaterMark: 0 });
}

/** Returns a stream that writes to `stream`. A write fails at `end`, even if the program never reads it. */
function writableUntil(end: Promise<void>, stream: WritableStream<Uint8Array>) {
  const writer = stream.getWriter();
  const until = waiterUntil(end);
  const close = () => writer.close().catch(() => {});
  return new WritableStream<Uint8Array>({
    async write(chunk) {
      const isWritten = await until(writer.write(chunk).then(() => true));
      if (isWritten !== true) throw new Deno.errors.BrokenPipe("the program does not read");
    },
    close,
    abort: close,
  });
}

/**
 * Returns a function that waits for one promise at a time: `undefined` if it fails, or at `end`. `Promise.race()` would
 * add to the reactions of `end` for each chunk, as long as the program runs.
 */
function waiterUntil(end: Promise<void>) {
  let giveUp = () => {};
  let isOver = false;
  void end.then(() => {
    isOver = true;
    giveUp();
  });
  return <T>(work: Promise<T>) => {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    giveUp = () => resolve(undefined);
    if (isOver) giveUp();
    work.then(resolve, giveUp);
    return promise;
  };
}

/** Makes an error of the same class as in the worker: the class says why the start failed. */
function errorOf({ name, message, code }: Failure): Error {
  const classes = Deno.errors as unknown as Record<string, new (message: string) => Error>;
  const error = new (classes[name] ?? Error)(message);
  return code === undefined ? error : Object.assign(error, { code });
}
