/**
 * The files of a running server, looked at before each call and once a second. A change is loaded whole
 * or not at all; a policy that cannot be read any more closes the gate.
 *
 * Files are looked at rather than watched: editors put new ones in their places, and a server may be
 * allowed to read a file and not its folder.
 */

import { fileStamp } from "../process/file_stamp.ts";
import { delay } from "../async/deadline.ts";
import type { Gate } from "../call/context.ts";
import { readTextFile } from "../files/text_file.ts";
import type { NamedText } from "../text/named_text.ts";
import { formatProblem, type Problem } from "../errors.ts";
import { log } from "../log.ts";
import { isPolicyName } from "../policy/locate.ts";

/** What is looked at, by path. */
export interface WatchedFiles {
  readonly configs: readonly string[];
  /** Neither one at hand nor a bundled one is looked at. */
  readonly policy?: string | NamedText | undefined;
}

/** Loads everything anew, whole or not at all. */
type Reload = () => Promise<Readonly<Record<"problems" | "warnings", readonly Problem[]>>>;

/** Milliseconds between two looks when nobody calls. */
const lookEveryMs = 1_000;

/** Milliseconds for which a file has to be as it is before it is read: it may be half written. */
const settledMs = 100;

/** Milliseconds that a file which goes on changing is waited for. */
const patienceMs = 2_000;

/**
 * Has `reload` done whenever one of `files` is another, and calls wait for that; while the policy cannot
 * be read, `gate` is closed. Returns how to stop.
 */
export async function watchFiles(
  files: WatchedFiles,
  gate: Gate,
  reload: Reload,
): Promise<() => void> {
  const { policy: given } = files;
  const policy = typeof given === "string" && !isPolicyName(given) ? given : undefined;
  const paths = [...files.configs, ...(policy === undefined ? [] : [policy])];
  if (paths.length === 0) return () => {};
  let known = await stampOf(paths);
  let looking: Promise<void> | undefined;

  const settle = async (stamp: string) => {
    if (stamp === known) return;
    known = await settledStamp(paths, stamp);
    await change(policy, gate, reload);
  };
  const lookUntil = (stamped: Promise<string>) => {
    return looking = stamped.then(settle).finally(() => looking = undefined);
  };
  const lookAtOnce = () => {
    if (looking !== undefined) return looking;
    const stamp = stampAtOnce(paths);
    return stamp === known ? undefined : lookUntil(Promise.resolve(stamp));
  };
  // A look that is under way may have missed the last edit. Where a file system does not answer, the
  // timer's finds that out within a second, and blocks nobody
  gate.refresh = () => looking === undefined ? lookAtOnce() : looking.then(lookAtOnce);
  const timer = setInterval(() => looking ?? lookUntil(stampOf(paths)), lookEveryMs);
  Deno.unrefTimer(timer);
  return () => {
    clearInterval(timer);
    gate.refresh = undefined;
  };
}

async function change(
  policy: string | undefined,
  gate: Gate,
  reload: Reload,
): Promise<void> {
  const read = policy === undefined ? undefined : await readTextFile(policy);
  if (read?.ok === false) {
    const { message } = read.problem;
    gate.closed = `the policy '${policy}' cannot be read any more: ${message}`;
    log("error", `No call is made: ${gate.closed}`);
    return;
  }
  const { problems, warnings } = await reload();
  if (problems.length > 0) {
    for (const problem of problems) log("error", formatProblem(problem));
    log("error", "The changes are not loaded: the previous configs and policy stay in use");
    return;
  }
  for (const warning of warnings) log("warning", formatProblem(warning));
  gate.closed = undefined;
  log("info", "The changes are loaded");
}

/** What the files are like, once they have been so for a moment. */
async function settledStamp(paths: readonly string[], first: string): Promise<string> {
  const end = performance.now() + patienceMs;
  for (let stamp = first;;) {
    await delay(settledMs);
    const next = await stampOf(paths);
    if (next === stamp || performance.now() > end) return next;
    stamp = next;
  }
}

/** Another text whenever one of the files is another one, or is not there, or may not be read. */
async function stampOf(paths: readonly string[]): Promise<string> {
  const stamps = paths.map((path) => Deno.stat(path).then(fileStamp, missingStamp));
  return (await Promise.all(stamps)).join("\n");
}

/** The same on this thread, which takes a tenth of what it does to wait for another one. */
function stampAtOnce(paths: readonly string[]): string {
  return paths.map((path) => {
    try {
      return fileStamp(Deno.statSync(path));
    } catch (error) {
      return missingStamp(error);
    }
  }).join("\n");
}

function missingStamp(error: unknown): string {
  return error instanceof Error ? error.name : "gone";
}
