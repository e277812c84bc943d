/** The signals that ask the program to end. */

import { io } from "../io.ts";

/** Calls `end` when one of them arrives; returns a function that stops listening. */
export function onEndSignals(end: (signal: Deno.Signal) => void): () => void {
  const signals: Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM", "SIGHUP"];
  const listeners = signals.map((signal) => [signal, () => end(signal)] as const);
  const run = io();
  for (const [signal, listener] of listeners) run.addSignalListener(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) run.removeSignalListener(signal, listener);
  };
}
