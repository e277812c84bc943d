/** Handles the signals that ask the program to end: their exit codes, and the temporary folders that they remove. */

import { ExitCode } from "../errors.ts";
import { io } from "../io.ts";

const codes: Partial<Record<Deno.Signal, ExitCode>> = Deno.build.os === "windows"
  ? { SIGINT: ExitCode.interrupted, SIGBREAK: ExitCode.interrupted }
  : { SIGINT: ExitCode.interrupted, SIGTERM: ExitCode.terminated, SIGHUP: ExitCode.hungUp };

/** The number of listeners whose work ends by itself. */
let ending = 0;
let received: ExitCode | undefined;

/** Calls `end` when such a signal arrives; returns a function that stops listening. */
export function onEndSignals(end: (signal: Deno.Signal) => void): () => void {
  ending++;
  const unlisten = listen((signal) => {
    received = codes[signal];
    end(signal);
  });
  return () => {
    ending--;
    unlisten();
  };
}

/** Records a Ctrl-C that caused no signal; false removes the record before the next run. */
export function setInterrupted(to: boolean): void {
  received = to ? ExitCode.interrupted : undefined;
}

/** Returns the exit code of a run that was asked to end; `undefined` if none has asked. */
export function endCode(): ExitCode | undefined {
  return received;
}

function listen(end: (signal: Deno.Signal) => void): () => void {
  const run = io();
  const listeners = (Object.keys(codes) as Deno.Signal[])
    .map((signal) => [signal, () => end(signal)] as const);
  for (const [signal, listener] of listeners) run.addSignalListener(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) run.removeSignalListener(signal, listener);
  };
}

const folders = new Set<string>();
let unlisten = () => {};

/** Makes a folder for `purpose` and returns its path, absolute and without links. @throws when it cannot be made */
export function makeTemporaryFolder(purpose = ""): string {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: `climax-${purpose}` }));
  if (folders.size === 0) {
    globalThis.addEventListener("unload", removeAll);
    unlisten = removeAtSignals();
  }
  folders.add(path);
  return path;
}

/** Removes the folder at `path` with all that is in it. @throws when something stays */
export async function removeTemporaryFolder(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  folders.delete(path);
  if (folders.size > 0) return;
  globalThis.removeEventListener("unload", removeAll);
  unlisten();
}

/** Removes the folders before a signal ends the process, if no {@linkcode onEndSignals} listens to it. */
function removeAtSignals(): () => void {
  // The process sends the signal to itself again, for which it needs this permission
  if (io().permissions.querySync({ name: "run" }).state !== "granted") return () => {};
  return listen((signal) => {
    if (ending > 0) return;
    removeAll();
    unlisten();
    Deno.kill(Deno.pid, signal);
  });
}

function removeAll(): void {
  for (const path of folders) {
    try {
      Deno.removeSync(path, { recursive: true });
    } catch {
      // The folder is gone, or belongs to another user now
    }
  }
}
