/**
 * Clients that others wrote, installed outside of the project: what they need is nothing that
 * climax needs. A folder is used again as long as the packages wanted are the same.
 */

import { join } from "node:path";

/** Milliseconds that packages may be fetched for, before what a task is for begins. */
const maxFetchMs = 10 * 60_000;

/** Milliseconds that a task with clients takes at most from then: what has not ended by then failed. */
const maxMs = 5.5 * 60_000;

let deadline = AbortSignal.timeout(maxFetchMs);
let begin = performance.now();

/** Begins the time in which clients are tried: all that can be fetched is here. */
export function beginTrial(): void {
  deadline = AbortSignal.timeout(maxMs);
  begin = performance.now();
}

/** A signal for a program that may run for `ms` milliseconds, and no longer than its task. */
export function signalFor(ms = maxMs): AbortSignal {
  return AbortSignal.any([deadline, AbortSignal.timeout(ms)]);
}

/** @throws when the time of the task is over */
export function requireTime(): void {
  if (deadline.aborted) throw new Error("not tried: the time was over");
}

/** Says on stderr what begins or has ended, and after how many seconds of fetching or of trying. */
export function say(text: string): void {
  const seconds = Math.round((performance.now() - begin) / 1000);
  Deno.stderr.writeSync(new TextEncoder().encode(`${seconds} s: ${text}\n`));
}

/** The command line `argv` where there is no network but a loopback of its own; `walls` are further ones. */
export function alone(
  argv: readonly string[],
  walls: readonly string[] = [],
): [string, ...string[]] {
  return [
    "bwrap",
    "--dev-bind",
    "/",
    "/",
    "--unshare-net",
    ...walls,
    "--die-with-parent",
    "--",
    ...argv,
  ];
}

/** Calls `work` for all `items`, of which three at once: most of them wait. */
export async function forAll<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  await Promise.all([1, 2, 3].map(async () => {
    for (const item of rest) await work(item);
  }));
}

/** A folder of packages, by what puts them there. */
export interface Packages {
  readonly from: "npm" | "pip";
  readonly wanted: readonly string[];
}

/** The folder of a package; nothing, and a line in `skipped`, where it cannot be installed. */
export async function installed(
  home: string,
  { name, packages }: { readonly name: string; readonly packages: Packages },
  skipped: string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  try {
    return await install(home, name, packages, env);
  } catch (error) {
    const { message } = error as Error;
    const line = message.split("\n").find((each) => /\bERR|\berror/i.test(each)) ?? message;
    skipped.push(`${name}: not installed, so not tried: ${line}`);
    return undefined;
  }
}

/**
 * Installs `packages` into the folder `name` below `home`, unless they are there; its path.
 * `env` is for what installs them.
 */
async function install(
  home: string,
  name: string,
  packages: Packages,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = join(home, name);
  const stamp = join(folder, "wanted.json");
  const wanted = JSON.stringify(packages);
  if (await Deno.readTextFile(stamp).catch(() => "") === wanted) return folder;
  say(`${name}: installs ${packages.wanted.join(" ")}`);
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  if (packages.from === "npm") {
    await Deno.writeTextFile(join(folder, "package.json"), `{"private":true,"type":"module"}`);
    await run(["npm", "install", "--no-audit", "--no-fund", ...packages.wanted], folder, env);
  } else {
    await run(["python3", "-m", "venv", "."], folder);
    const pip = [join(folder, "bin", "pip"), "install", "--quiet", "--no-compile"];
    await run([...pip, ...packages.wanted], folder);
  }
  await Deno.writeTextFile(stamp, wanted);
  return folder;
}

async function run(
  [program, ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const options = {
    args,
    cwd,
    env: { ...env },
    stdin: "null",
    signal: signalFor(maxFetchMs),
  } as const;
  requireTime();
  const command = new Deno.Command(program!, options);
  const { success, stdout, stderr } = await command.output();
  if (success) return;
  if (deadline.aborted) throw new Error(`${program} had not ended when the time was over`);
  const decoder = new TextDecoder();
  throw new Error(`${program} failed:\n${decoder.decode(stdout)}${decoder.decode(stderr)}`);
}
