/** Handles the signals that ask climax to end: records the exit code, and removes climax's temporary folders. */

import { ExitCode } from "../errors.ts";
import { io } from "../io.ts";

const codes: Partial<Record<Deno.Signal, ExitCode>> = Deno.build.os === "windows"
  ? { SIGINT: ExitCode.interrupted, SIGBREAK: ExitCode.interrupted }
  : { SIGINT: ExitCode.interrupted, SIGTERM: ExitCode.terminated, SIGHUP: ExitCode.hungUp };

let ending = 0;
let received: ExitCode | undefined;

/** Calls `end` when a signal asks the program to end. Returns a function that stops listening. */
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

export function setInterrupted(to: boolean): void {
  received = to ? ExitCode.interrupted : undefined;
}

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

/** Makes a temporary folder, which is removed when climax ends. Its path has no links. @throws `Deno.errors` */
export function makeTemporaryFolder(purpose = ""): string {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: `climax-${purpose}` }));
  if (folders.size === 0) {
    globalThis.addEventListener("unload", removeAll);
    unlisten = removeAtSignals();
  }
  folders.add(path);
  return path;
}

/** @throws `Deno.errors` if the folder cannot be removed whole */
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

function removeAtSignals(): () => void {
  // After the removal the process ends by sending the signal to itself, which needs the permission `run`
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
      // A folder that is gone, or belongs to another user now, does not keep climax from ending
    }
  }
}
