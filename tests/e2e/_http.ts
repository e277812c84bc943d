/** The real program, serving over HTTP. */

import { within } from "../_wait.ts";
import { climaxRun, environment } from "./_server.ts";

/** A process that listens. */
export class HttpProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #read: Promise<void>;
  #log = "";
  #hasEnded = false;
  #waiting = new Set<() => void>();

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#read = this.#collect();
  }

  get pid(): number {
    return this.#child.pid;
  }

  get log(): string {
    return this.#log;
  }

  /** Returns the match of `pattern` in stderr, once it is there. */
  async logged(pattern: RegExp): Promise<RegExpExecArray> {
    const look = async () => {
      for (;;) {
        const found = pattern.exec(this.#log);
        if (found !== null) return found;
        if (this.#hasEnded) throw new Error(`It ended without ${pattern} on stderr: ${this.#log}`);
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    };
    return await within(look(), `${pattern} on stderr, which has: ${this.#log}`);
  }

  /** Returns the URL at which it listens. */
  async url(): Promise<string> {
    return (await this.logged(/listening at (\S+?\/mcp)/))[1]!;
  }

  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Waits for the end; returns the exit code. */
  async ended(): Promise<number> {
    const { code } = await within(this.#child.status, "the end of the server");
    await this.#read;
    return code;
  }

  async #collect(): Promise<void> {
    for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream())) {
      this.#log += text;
      this.#wake();
    }
    this.#hasEnded = true;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Ends it as an operator does: what is killed leaves its programs behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    const end = () => {
      try {
        // A second SIGTERM waits for no call
        this.#child.kill("SIGTERM");
        if (Deno.build.os !== "windows") this.#child.kill("SIGCONT");
      } catch {
        // It has ended
      }
    };
    end();
    const timer = setInterval(end, 100);
    try {
      await this.ended();
    } finally {
      clearInterval(timer);
    }
  }
}

/** Starts `climax run` with `args` over HTTP, at a free port unless they say otherwise. */
export function startHttpProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): HttpProcess {
  const [program, ...words] = climaxRun("--log-level", "info", ...args);
  const where = args.includes("--http") ? [] : ["--http", "0"];
  // The network is what the other tests of the program do without
  const isOfDeno = program === Deno.execPath();
  const permissions = isOfDeno
    ? words.map((word) => word.startsWith("--allow-net=") ? "--allow-net" : word)
    : words;
  return spawn([program, ...permissions, ...where], env, cwd);
}

function spawn(
  [program, ...args]: readonly string[],
  env?: Readonly<Record<string, string>>,
  cwd?: string,
): HttpProcess {
  const child = new Deno.Command(program!, {
    args,
    env: environment(env),
    ...(cwd === undefined ? {} : { cwd }),
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  return new HttpProcess(child);
}
