/** The signals that ask the program to end, and the exit codes by which a shell knows them. */

import { ExitCode } from "../errors.ts";
import { io } from "../io.ts";

const codes: Partial<Record<Deno.Signal, ExitCode>> = Deno.build.os === "windows"
  ? { SIGINT: ExitCode.interrupted, SIGBREAK: ExitCode.interrupted }
  : {
    SIGINT: ExitCode.interrupted,
    SIGTERM: ExitCode.terminated,
    SIGHUP: ExitCode.hungUp,
  };

/** Listeners whose work ends by itself. */
let ending = 0;
let received: ExitCode | undefined;

/** Calls `end` when one of them arrives; returns a function that stops listening. */
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

/**
 * Calls `clean` before a signal ends the process, to which no {@linkcode onEndSignals} listens; returns a function that
 * stops that.
 */
export function beforeEndBySignal(clean: () => void): () => void {
  // The process sends the signal to itself again
  if (io().permissions.querySync({ name: "run" }).state !== "granted") return () => {};
  const unlisten = listen((signal) => {
    if (ending > 0) return;
    clean();
    unlisten();
    Deno.kill(Deno.pid, signal);
  });
  return unlisten;
}

/** Notes that the person has typed Ctrl-C where no signal comes of it, or the end of a run, whose next begins without one. */
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
