/** Directories that tests may write to, and waiting that ends. */

/** A directory of its own, gone when the test is over. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
}

/** Makes a {@linkcode Scratch}. Its path has no symbolic link in it. */
export async function scratch(): Promise<Scratch> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "climax-test-" }));
  return {
    path,
    async [Symbol.asyncDispose]() {
      await Deno.remove(path, { recursive: true }).catch(() => {});
    },
  };
}

/** What `promise` comes to, unless it takes more than `ms` milliseconds. */
export async function within<T>(promise: Promise<T>, what: string, ms = 30_000): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks every 10 ms until `look` finds something, or that it is so; for what sends no event. */
export async function until<T>(
  look: () => Found<T> | Promise<Found<T>>,
  what: string,
  ms = 30_000,
): Promise<T> {
  const deadline = performance.now() + ms;
  while (performance.now() < deadline) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${what}: nothing within ${ms} ms`);
}

type Found<T> = T | undefined | false;

/** Whether a process of this id is running. */
export function isAlive(pid: number): boolean {
  try {
    // A signal that nothing reacts to; a zombie still accepts it, so ask the system where it can tell
    Deno.kill(pid, "SIGCONT");
  } catch {
    return false;
  }
  if (Deno.build.os === "windows") return true;
  // Deno refuses to read /proc without every permission, and `ps` is not on every Linux
  const [program, args] = Deno.build.os === "linux"
    ? ["cat", [`/proc/${pid}/stat`]]
    : ["ps", ["-o", "stat=", "-p", String(pid)]];
  const { stdout } = new Deno.Command(program, { args, stderr: "null" }).outputSync();
  // `PID (NAME) STATE …`, where the name may have any character
  const state = new TextDecoder().decode(stdout).replace(/^.*\)/s, "").trim();
  return state !== "" && !state.startsWith("Z");
}
