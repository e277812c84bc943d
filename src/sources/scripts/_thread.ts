/**
 * The thread of one QuickJS VM. If a script computes for too long, an interrupt of QuickJS ends it; within a built-in
 * function, which checks no interrupt, the timeout of `node:vm` does. `terminate()` would take seconds.
 */

import loadModule from "@jitl/quickjs-singlefile-mjs-release-sync/emscripten-module";
import { threadCpuUsage } from "node:process";
import { Script } from "node:vm";
import { parentPort } from "node:worker_threads";
import { maxClockMs, scriptHeap, type ScriptLimits } from "./limits.ts";
import { QuickJSFFI } from "@jitl/quickjs-singlefile-mjs-release-sync/ffi";
import {
  type EmscriptenModuleLoader,
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSEmscriptenModule,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import type { CallValue } from "./call_value.ts";
import { fileName, prelude, preludeName } from "./_prelude.ts";

export interface VmInput {
  readonly code: string;
  /** What the script sees as `input`, as JSON; absent: undefined. */
  readonly input?: string | undefined;
  readonly seed: number;
  /** The time that a script sees, in milliseconds since 1970. It moves only at answers, so no script can measure time. */
  readonly now: number;
  readonly limits: ScriptLimits;
}

type VmMessage =
  | { readonly kind: "call" | "search"; readonly id: number; readonly text: string }
  | { readonly kind: "log" | "done" | "fail"; readonly text: string };

export interface VmAnswer extends CallValue {
  readonly id: number;
  readonly now: number;
}

/** The stack of QuickJS has this many bytes; a script that needs more ends. */
const stackBytes = 256 * 1024;

/** After this many promise jobs, the thread checks whether the script has to end. */
const jobsAtOnce = 1000;

const [firstPages, pagesOfMib] = [256, 16] as const;

const memoryFull = `The ${scriptHeap} MiB of its memory are full`;

let isFull = false;

/** Loads QuickJS with a bounded WebAssembly memory, since QuickJS itself does not count what it uses. */
async function loadQuickJs(): Promise<QuickJSWASMModule> {
  const maximum = firstPages / 2 + scriptHeap * pagesOfMib;
  const load = loadModule as unknown as EmscriptenModuleLoader<QuickJSEmscriptenModule>;
  const wasmMemory = new WebAssembly.Memory({ initial: firstPages, maximum });
  const grow = wasmMemory.grow.bind(wasmMemory);
  wasmMemory.grow = (pages) => {
    isFull = true;
    const before = grow(pages);
    isFull = false;
    return before;
  };
  return await newQuickJSWASMModuleFromVariant({
    type: "sync",
    importFFI: () => Promise.resolve(QuickJSFFI),
    importModuleLoader: () => Promise.resolve((options) => load({ ...options, wasmMemory })),
  });
}

/**
 * The VM of one script: QuickJS with ECMAScript and a function that sends a text out of the VM. Only texts and numbers
 * cross the boundary. A script may send any text, so this thread checks the length of texts and parses none.
 */
class ScriptVm {
  readonly #limits: ScriptLimits;
  readonly #send: (message: VmMessage) => void;
  readonly #isOver: () => boolean;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #input: VmInput;
  #deliver: QuickJSHandle | undefined;
  readonly #pending = new Map<number, number>();
  #sent = 0;
  #logged = 0;
  #hasEnded = false;

  constructor(
    quickJs: QuickJSWASMModule,
    input: VmInput,
    { send, isOver }: {
      readonly send: (message: VmMessage) => void;
      readonly isOver: () => boolean;
    },
  ) {
    this.#input = input;
    this.#limits = input.limits;
    this.#send = send;
    this.#isOver = isOver;
    this.#runtime = quickJs.newRuntime();
    this.#runtime.setMaxStackSize(stackBytes);
    this.#runtime.setInterruptHandler(isOver);
    this.#context = this.#runtime.newContext();
  }

  start(): void {
    const { code, input, seed } = this.#input;
    const { calls, callsAtOnce: atOnce } = this.#limits;
    const context = this.#context;
    const send = context.newFunction("send", (kind, id, text) => {
      this.#receive(context.getString(kind), context.getNumber(id), text);
    });
    const setUp = this.#run(prelude, preludeName);
    const bounds = JSON.stringify({ seed, calls, atOnce, heap: scriptHeap });
    const options = this.#run(`(${bounds})`, preludeName);
    if (setUp === undefined || options === undefined) return;
    const bridge = this.#take(context.callFunction(setUp, context.undefined, send, options));
    if (bridge === undefined) return;
    this.#deliver = context.getProp(bridge, "deliver");
    // The code begins on line 1, so that line numbers in errors are those of the script
    const main = this.#run(`(async function () {${code}\n})`, fileName);
    if (main === undefined) return;
    const given = input === undefined ? context.undefined : context.newString(input);
    const start = context.getProp(bridge, "start");
    this.#take(context.callFunction(start, context.undefined, main, given));
    this.#runJobs();
  }

  deliver({ id, isError, text, data }: VmAnswer): void {
    if (this.#hasEnded) return;
    const context = this.#context;
    this.#pending.delete(id);
    const isQuoted = text.includes("\0"); // NUL ends a string of QuickJS, and is escaped in JSON
    const given = [
      context.newNumber(id),
      isError ? context.true : context.false,
      context.newString(isQuoted ? JSON.stringify(text) : text),
      data === undefined ? context.undefined : context.newString(data),
      isQuoted ? context.true : context.false,
    ];
    this.#take(context.callFunction(this.#deliver!, context.undefined, ...given));
    for (const value of given) value.dispose();
    this.#runJobs();
  }

  #receive(kind: string, id: number, handle: QuickJSHandle): void {
    // Once a script was interrupted, a text that it still sends must not count as its result
    if (this.#hasEnded || this.#isOver()) return;
    if (this.#context.typeof(handle) !== "string") throw new TypeError("A text is expected");
    const length = this.#context.getNumber(this.#context.getProp(handle, "length"));
    const { valueLength, calls, logLength } = this.#limits;
    if (length > valueLength) {
      throw new RangeError(`A value has ${length} characters, and ${valueLength} at most cross`);
    }
    const text = this.#context.getString(handle);
    const waiting = this.#pending.values().reduce((all, each) => all + each, 0);
    switch (kind) {
      case "call":
      case "search":
        if (++this.#sent > calls) throw new RangeError(`A script makes ${calls} calls at most`);
        if (this.#pending.has(id)) throw new RangeError(`The call ${id} has no answer yet`);
        if (waiting + length > 2 * valueLength) {
          throw new RangeError(`Calls that wait have ${2 * valueLength} characters at most`);
        }
        this.#pending.set(id, length);
        return this.#send({ kind, id, text });
      case "log":
        this.#logged += text.length + 1;
        if (this.#logged > logLength) {
          throw new RangeError(`A script logs ${logLength} characters at most`);
        }
        return this.#send({ kind, text });
      case "done":
      case "fail":
        return this.#end(kind, text);
    }
  }

  #end(kind: "done" | "fail", text: string): void {
    this.#hasEnded = true;
    this.#send({ kind, text });
  }

  #runJobs(): void {
    while (!this.#hasEnded && this.#runtime.hasPendingJob()) {
      const done = this.#runtime.executePendingJobs(jobsAtOnce);
      if (done.error !== undefined) this.#fail(done.error);
      if (this.#isOver()) return;
    }
    if (this.#hasEnded || this.#pending.size > 0) return;
    // If memory is full, QuickJS drops promise jobs, and the script would wait for ever without an error
    const message = isFull ? memoryFull : "The script waits for a promise that nothing will settle";
    this.#end("fail", JSON.stringify({ message, stack: "" }));
  }

  #run(code: string, name: string): QuickJSHandle | undefined {
    return this.#take(this.#context.evalCode(code, name));
  }

  #take(result: ReturnType<QuickJSContext["evalCode"]>): QuickJSHandle | undefined {
    if (result.error !== undefined) return void this.#fail(result.error);
    return result.value;
  }

  #fail(error: QuickJSHandle): void {
    if (this.#hasEnded || this.#isOver()) return;
    const read = (name: string) => {
      const value = this.#context.getProp(error, name);
      const isText = this.#context.typeof(value) === "string";
      return isText ? this.#context.getString(value) : "";
    };
    const [name, message, stack] = [read("name"), read("message"), read("stack")];
    // If memory is full, QuickJS cannot make an error object, so its name and message are empty
    const text = name === "" && message === "" ? memoryFull : `${name}: ${message}`;
    this.#end("fail", JSON.stringify({ message: text, stack }));
  }
}

export interface VmStart extends VmInput {
  /** A number that both threads see: not 0 once climax has given up the script, which then has to end. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  /** Counts the steps that the script has finished: its start, and its work after each answer to a call. */
  readonly steps: Int32Array<SharedArrayBuffer>;
}

export interface StopRequest {
  readonly kind: "stop";
}

export type ThreadMessage =
  | VmMessage
  | { readonly kind: "ready" }
  | { readonly kind: "idle" }
  | { readonly kind: "overtime" }
  /** QuickJS failed in a way after which this thread must not run another script. */
  | { readonly kind: "broken"; readonly text: string };

const graceMs = 200;

const port = parentPort!;
const realNow = performance.now.bind(performance);
const step = "climaxScriptStep";
const stepping = new Script(`${step}()`);
const send = (message: ThreadMessage) => port.postMessage(message);
const quickJs = await loadWithoutNode();

port.once("message", begin);
send({ kind: "ready" });

/** Loads QuickJS while `process` is hidden: else its loader would read a file that the built program does not have. */
async function loadWithoutNode() {
  const { process } = globalThis;
  Reflect.deleteProperty(globalThis, "process");
  try {
    return await loadQuickJs();
  } finally {
    if (process !== undefined) Reflect.set(globalThis, "process", process);
  }
}

function begin({ stop, steps, ...input }: VmStart): void {
  const { computingMs } = input.limits;
  let [clockMs, began, now] = [0, realNow(), input.now];
  const cpuBegan = threadCpuUsage();
  const isTooLong = () => {
    const ms = clockMs + realNow() - began;
    if (ms <= computingMs || ms > maxClockMs(computingMs)) return ms > computingMs;
    const { user, system } = threadCpuUsage(cpuBegan);
    return user + system > 1000 * computingMs;
  };
  const isOver = () => Atomics.load(stop, 0) !== 0 || isTooLong();
  // QuickJS reads `Date.now`, so it is replaced: with the real time, a script could measure how long calls take
  Date.now = () => now;
  useUtc();
  const vm = new ScriptVm(quickJs, input, { send, isOver });
  let isUsable = true;
  const compute = (work: () => void) => {
    if (!isUsable) return;
    began = realNow();
    Reflect.set(globalThis, step, work);
    let failure: string | undefined;
    try {
      const timeout = Math.ceil(Math.max(0, maxClockMs(computingMs) - clockMs)) + graceMs;
      stepping.runInThisContext({ timeout });
    } catch (error) {
      // An exception that leaves QuickJS may come in the middle of an operation, so this VM is not used again
      isUsable = false;
      failure = String(error);
    }
    Atomics.add(steps, 0, 1);
    if (isTooLong()) send({ kind: "overtime" });
    else if (failure !== undefined) send({ kind: "broken", text: failure });
    clockMs += realNow() - began;
  };
  port.on("message", (answer: VmAnswer | StopRequest) => {
    if ("kind" in answer) return send({ kind: "idle" });
    now = Math.max(now, answer.now);
    compute(() => vm.deliver(answer));
  });
  compute(() => vm.start());
}

/** Makes UTC the local time of QuickJS, so that a script cannot read the time zone of this machine. */
function useUtc(): void {
  const { prototype } = Date;
  for (const part of ["FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds"] as const) {
    prototype[`get${part}`] = prototype[`getUTC${part}`];
  }
  prototype.getTimezoneOffset = () => 0;
}
