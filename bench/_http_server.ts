/** Servers over HTTP, started and ended by those that measure or drive them. */

/** A server that listens. */
export interface Started extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** Starts a server that says on stderr where it listens; it is ended when it goes out of scope. */
export async function startHttpServer(
  [program, ...args]: readonly [string, ...string[]],
): Promise<Started> {
  const child = new Deno.Command(program, {
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let log = "";
  let url: string | undefined;
  while (url === undefined) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The server did not start: ${log}`);
    log += value;
    url = /listening at (\S+\/mcp)/.exec(log)?.[1];
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  return serverOf(child, url, drained);
}

/** The server that listens at `url` in `child`; ended, it waits for `drained` too. */
export function serverOf(child: Deno.ChildProcess, url: string, drained?: Promise<void>): Started {
  return {
    url,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await drained;
    },
  };
}
