/**
 * Waiting that ends, in one place. A deadline exists only so that a test that hangs ends; no test passes because a
 * machine is quick. It is a multiple of how long a process takes to start here, so a slow machine has more.
 */

import process from "node:process";

/** Milliseconds that a start takes on a machine with nothing else to do, rounded up. */
const usualStartMs = 50;

/** The deadline on such a machine, in milliseconds: the floor. */
const shortestMs = 60_000;

/** Has the milliseconds of the measured start, so that one run of tests measures once. */
export const startVariable = "CLIMAX_TEST_START_MS";

let known: number | undefined;

/** Milliseconds that a process of Deno takes from its start to its end here. */
export function startMs(): number {
  known ??= Number(Deno.env.get(startVariable)) || measuredStart();
  return known;
}

function measuredStart(): number {
  const begin = performance.now();
  new Deno.Command(Deno.execPath(), { args: ["eval", "0"], stdin: "null" }).outputSync();
  return Math.ceil(performance.now() - begin);
}

function measureAgain(): void {
  known = Math.max(startMs(), measuredStart());
}

/** Milliseconds after which a test has failed that still waits. */
export function deadlineMs(): number {
  return Math.ceil(shortestMs * slownessOf(startMs()));
}

/**
 * `ms` milliseconds on a machine with nothing else to do, and in proportion more on a slower one, or while other tests
 * run. For what a program must do within a timeout.
 */
export function scaled(ms: number): number {
  now ??= Math.max(startMs(), measuredStart());
  return Math.ceil(ms * slownessOf(now));
}

let now: number | undefined;

/** {@linkcode scaled} in seconds with one decimal, as timeouts are written and printed. */
export function scaledSeconds(seconds: number): number {
  return Math.ceil(scaled(1000 * seconds) / 100) / 10;
}

function slownessOf(startMs: number): number {
  return Math.max(1, startMs / usualStartMs);
}

/** Returns the result of `promise`; fails if it takes longer than the deadline, `times` as long. */
export async function within<T>(promise: Promise<T>, what: string, times = 1): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ms = 0;
  const late = new Promise<never>((_, reject) => {
    const look = () => {
      const more = times * deadlineMs() - ms;
      if (more <= 0) return reject(new Error(`${what}: nothing within ${ms} ms`));
      ms += more;
      // Load that came after the machine was measured counts
      timer = setTimeout(() => {
        measureAgain();
        look();
      }, more);
    };
    look();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks every 10 ms until `look` finds something or returns true; for what sends no event. */
export async function until<T>(
  look: () => Found<T> | Promise<Found<T>>,
  what: string,
): Promise<T> {
  const began = performance.now();
  const isLate = () => performance.now() - began > deadlineMs();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (isLate()) {
      measureAgain();
      if (isLate()) throw new Error(`${what}: nothing within ${deadlineMs()} ms`);
    }
    await pause(10);
  }
}

type Found<T> = T | undefined | false;

/** Waits between two looks, or for something that must not happen: say which. */
export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** True if a process of this id is running. */
export function isAlive(pid: number): boolean {
  try {
    // No signal, which is for asking only; a zombie still accepts it, so ask the system where it can tell
    process.kill(pid, 0);
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

/** Waits until no process of these ids is running. */
export async function untilGone(...pids: readonly number[]): Promise<void> {
  await until(() => !pids.some(isAlive), `the end of processes ${pids}`);
}

/** Waits until a program has written its process id to `file`. */
export async function pidIn(file: string): Promise<number> {
  return await until(() => Number(textIn(file)) || undefined, `a process id in ${file}`);
}

/** The text of a file without spaces around it; nothing while the file is missing or empty. */
export function textIn(file: string): string | undefined {
  try {
    return Deno.readTextFileSync(file).trim() || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
