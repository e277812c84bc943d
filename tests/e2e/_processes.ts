/** Reads about processes by programs of the system, since the tests may not read `/proc`. */

import { join } from "node:path";

/**
 * Variables for servers that are to find each other's programs and no others: their `ps` lists what has these
 * variables. Tests that end what killed servers left do not end what another test has left.
 */
export async function apart(dir: string): Promise<Readonly<Record<string, string>>> {
  const name = "TEST_PROCESSES";
  const id = crypto.randomUUID();
  const bin = join(dir, "bin");
  const path = Deno.env.get("PATH")!;
  const script = `#!/bin/sh\nPATH='${path}'\nps "$@" | grep -a "${name}=${id}"\n`;
  await Deno.mkdir(bin);
  await Deno.writeTextFile(join(bin, "ps"), script, { mode: 0o755 });
  return { PATH: `${bin}:${path}`, [name]: id };
}

/** Resident memory in KiB. */
export function residentKib(pid: number): number {
  return Number(ask("ps", "-o", "rss=", "-p", String(pid))[0]);
}

/** Ids and states of the processes that `parent` started and that are not collected yet. */
export function childrenOf(parent: number): { readonly pid: number; readonly state: string }[] {
  return ask("ps", "-A", "-o", "ppid=,pid=,stat=")
    .map((line) => line.split(/\s+/))
    .filter(([ppid]) => ppid === String(parent))
    .map(([, pid, state]) => ({ pid: Number(pid), state: state! }));
}

/** Command lines of running processes that have `mark` in them. */
export function runningWith(mark: string): string[] {
  return ask("ps", "-A", "-o", "stat=,args=")
    .filter((line) => !line.startsWith("Z") && line.includes(mark));
}

/** Returns the number of files that a process has open; Linux only. */
export function openFilesOf(pid: number): number {
  return ask("ls", `/proc/${pid}/fd`).length;
}

/** Lines of what a program prints. */
function ask(program: string, ...args: string[]): string[] {
  const { stdout } = new Deno.Command(program, { args, stderr: "null" }).outputSync();
  return new TextDecoder().decode(stdout).split("\n")
    .map((line) => line.trim()).filter((line) => line !== "");
}
