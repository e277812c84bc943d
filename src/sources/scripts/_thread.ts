/**
 * The thread of one room, started by `room.ts`. It computes for as long as the script may; after that an interrupt
 * ends it, or the timeout of `node:vm` where QuickJS looks at no interrupt: within a function of its own, such as
 * `lastIndexOf` of a very long list. Both end the loop itself, which `terminate()` does after seconds.
 */

import { Script } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { scriptLimits } from "./limits.ts";
import { loadQuickJs, Room, type RoomAnswer, type RoomInput, type RoomMessage } from "./_room.ts";

/** The first message to the thread. */
export interface RoomStart extends RoomInput {
  /** Not 0 once the script is not wanted. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  /** Counts what was computed: the start, and each answer. */
  readonly steps: Int32Array<SharedArrayBuffer>;
}

/** A message to a thread whose script is not wanted any more. */
export interface StopRequest {
  readonly kind: "stop";
}

/** The messages of a thread: those of the script, and its own. */
export type ThreadMessage =
  | RoomMessage
  | { readonly kind: "ready" }
  /** The answer to {@linkcode StopRequest}: nothing computes. */
  | { readonly kind: "idle" }
  /** The script has computed for too long. */
  | { readonly kind: "overtime" }
  /** QuickJS has failed, and may not be used again. */
  | { readonly kind: "broken"; readonly text: string };

/** What a thread is started with. */
export interface ThreadData {
  /** It has time until its script comes. */
  readonly isSpare: boolean;
}

/** Milliseconds from the interrupt to the timeout. */
const graceMs = 200;

const port = parentPort!;
const realNow = performance.now.bind(performance);
const step = "climaxScriptStep";
const stepping = new Script(`${step}()`);
const send = (message: ThreadMessage) => port.postMessage(message);
if ((workerData as ThreadData).isSpare) await rehearse();
const quickJs = await loadWithoutNode();

port.once("message", begin);
send({ kind: "ready" });

/** Runs a script of its own in another QuickJS, so that V8 has compiled what the first one takes. */
async function rehearse(): Promise<void> {
  const limits = { ...scriptLimits, computingMs: Infinity };
  const input = { code: "return await call('')", seed: 0, now: 0, limits };
  const room = new Room(await loadWithoutNode(), input, { send: () => {}, isOver: () => false });
  room.start();
  room.deliver({ id: 1, isError: false, text: "", now: 0 });
  Reflect.set(globalThis, step, () => {});
  stepping.runInThisContext({ timeout: graceMs });
}

/** Emscripten's code looks for files and `require` where there is a Node.js. */
async function loadWithoutNode() {
  const { process } = globalThis;
  Reflect.deleteProperty(globalThis, "process");
  try {
    return await loadQuickJs();
  } finally {
    if (process !== undefined) Reflect.set(globalThis, "process", process);
  }
}

function begin({ stop, steps, ...input }: RoomStart): void {
  const { computingMs } = input.limits;
  let spentMs = 0;
  let began = realNow();
  let now = input.now;
  const isOver = () => {
    return Atomics.load(stop, 0) !== 0 || spentMs + realNow() - began > computingMs;
  };
  // QuickJS asks these for the date
  Date.now = () => now;
  useUtc();
  const room = new Room(quickJs, input, { send, isOver });
  let isUsable = true;
  const compute = (work: () => void) => {
    if (!isUsable) return;
    began = realNow();
    Reflect.set(globalThis, step, work);
    let failure: string | undefined;
    try {
      const timeout = Math.ceil(Math.max(0, computingMs - spentMs)) + graceMs;
      stepping.runInThisContext({ timeout });
    } catch (error) {
      // QuickJS was left in the middle of something
      isUsable = false;
      failure = String(error);
    }
    spentMs += realNow() - began;
    Atomics.add(steps, 0, 1);
    if (spentMs >= computingMs) send({ kind: "overtime" });
    else if (failure !== undefined) send({ kind: "broken", text: failure });
  };
  port.on("message", (answer: RoomAnswer | StopRequest) => {
    if ("kind" in answer) return send({ kind: "idle" });
    now = Math.max(now, answer.now);
    compute(() => room.deliver(answer));
  });
  compute(() => room.start());
}

/** A script does not see the time zone of this machine. */
function useUtc(): void {
  const { prototype } = Date;
  for (const part of ["FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds"] as const) {
    prototype[`get${part}`] = prototype[`getUTC${part}`];
  }
  prototype.getTimezoneOffset = () => 0;
}
