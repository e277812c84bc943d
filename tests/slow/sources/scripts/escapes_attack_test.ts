/**
 * Ways out of the VM of a script. Each tries to reach something of the process, of another script, or of the code
 * around it, and returns what it got. Nothing but `call` and `search` may come of it, with JSON that is harmless.
 */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Worker } from "node:worker_threads";
import { scriptLimits } from "../../../../src/sources/scripts/limits.ts";
import { attend } from "../../../../src/sources/scripts/vm.ts";
import { closeVms, returnedBy, runVm, type VmView } from "../../../sources/scripts/_vm.ts";

Deno.test.afterAll(closeVms);

/** Names that would lead out of the VM. */
const hostNames = [
  "Deno process require module exports __dirname fetch XMLHttpRequest WebSocket EventSource Worker",
  "SharedWorker importScripts postMessage onmessage MessageChannel BroadcastChannel navigator location",
  "document window self global frames caches indexedDB localStorage sessionStorage alert",
  "setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame performance crypto Buffer",
  "WebAssembly std os bjson scriptArgs print load loadFile gc send start deliver climaxScriptStep",
].join(" ").split(" ");

/** What is host, if anything: every object that the VM's own code cannot have made. */
const look = `const look = (value) => {
  const names = ${JSON.stringify(hostNames)};
  return names.filter((name) => { try { return value[name] !== undefined } catch { return false } });
};`;

/** Code, and what it returns; where nothing is said, an empty list: nothing of the host. */
const ways: readonly (readonly [way: string, code: string, expected?: unknown])[] = [
  ["names of globalThis", "return look(globalThis)"],
  [
    "names by the scope",
    `return ${JSON.stringify(hostNames)}.filter((name) => {
    try { return eval("typeof " + name) !== "undefined" } catch { return false } })`,
  ],
  [
    "all keys of globalThis",
    `return Reflect.ownKeys(globalThis).map(String)
    .filter((key) => /deno|process|node|host|emscripten|module$/i.test(key))`,
  ],
  [
    "prototypes of globalThis",
    `const found = []; for (let at = globalThis; at; at = Object.getPrototypeOf(at)) found.push(...look(at)); return found`,
  ],
  ["Function constructor", `return look(Function("return this")())`],
  ["AsyncFunction constructor", `return look(await (async () => {}).constructor("return this")())`],
  ["constructor of call", `return look(call.constructor("return this")())`],
  [
    "constructor of a result",
    `return look((await call("x")).constructor.constructor("return this")())`,
  ],
  [
    "constructor of an error of call",
    `try { await call(1n) } catch (e) { return look(e.constructor.constructor("return this")()) }`,
  ],
  ["constructor of input", `return look(input.constructor.constructor("return this")())`],
  ["indirect eval", `return look((0, eval)("this"))`],
  ["this of a sloppy function", `return look(function () { return this }())`],
  [
    "import of a package",
    `try { const name = ["npm", "left-pad"].join(":"); await import(name); return ["imported"] } catch { return [] }`,
  ],
  ["import of node:fs", `try { await import("node:fs"); return ["imported"] } catch { return [] }`],
  [
    "import in a constructor",
    `try { await Function("return import('file:///etc/passwd')")(); return ["imported"] } catch { return [] }`,
  ],
  [
    "modules of QuickJS",
    `for (const name of ["std", "os", "qjs:std", "qjs:os", "bjson"]) { try { await import(name); return [name] } catch {} } return []`,
  ],
  ["import.meta", `try { return [eval("import.meta.url")] } catch { return [] }`],
  [
    "caller of a function",
    `function f() { try { return f.caller === null || f.caller === undefined ? [] : look(f.caller) } catch { return [] } } return f()`,
  ],
  [
    "Error.prepareStackTrace",
    `const seen = []; Error.prepareStackTrace = (error, sites) => { seen.push(sites); return sites };
    await call("x").catch(() => {}); const e = new Error(); e.stack;
    try { await all(3) } catch (error) { error.stack }
    return seen.flat().flatMap((site) => ["getThis", "getFunction"].flatMap((name) => {
      try { const value = site[name](); return value === undefined || value === globalThis ? [] : [name + " " + value] } catch { return [] } }))`,
  ],
  [
    "paths in a stack",
    `try { await all(3) } catch (e) { return /file:|http:|wasm|node:|\\.ts/.test(e.stack) ? [e.stack] : [] }`,
  ],
  ["source of call", `return /Deno|postMessage|port/.test(call.toString()) ? ["host code"] : []`],
  [
    "source of what call calls",
    `const seen = []; const push = Function.prototype.toString;
    Function.prototype.call = Function.prototype.apply = function () { seen.push(this); }; await call("x"); return seen.flatMap(look)`,
  ],
  [
    "prototype of Promise taken",
    `const seen = []; const then = Promise.prototype.then;
    Promise.prototype.then = function (...args) { seen.push(this, ...args); return then.apply(this, args) };
    await call("x"); return seen.flatMap((value) => look(value))`,
  ],
  [
    "prototype of Object, its setters",
    `const seen = [];
    for (const name of ["resolve", "reject", "read", "text", "data", "name", "args", "0", "1"]) {
      Object.defineProperty(Object.prototype, name, { configurable: true, set(value) { seen.push(this, value) }, get() { seen.push(this) } }) }
    void call("x", {}).catch(() => {}); await 0;
    for (const name of ["resolve", "reject", "read", "text", "data", "name", "args", "0", "1"]) delete Object.prototype[name];
    return seen.flatMap((value) => value == null ? [] : look(value))`,
  ],
  [
    "prototype of Array, its iterator",
    `const seen = []; const own = Array.prototype[Symbol.iterator];
    Array.prototype[Symbol.iterator] = function () { seen.push(this); return own.call(this) };
    await all([() => call("x")]); return seen.flat().flatMap(look)`,
  ],
  [
    "JSON replaced",
    `const seen = []; JSON.stringify = (value) => { seen.push(value); return "{}" }; JSON.parse = (value) => { seen.push(value); return {} };
    await call("x"); return seen.flatMap(look)`,
  ],
  [
    "Reflect replaced",
    `const seen = []; Reflect.apply = (f, self, args) => { seen.push(f, self, args); }; await call("x"); return seen.flatMap(look)`,
  ],
  [
    "Symbol.species",
    `const seen = [];
    class Own { constructor(run) { seen.push(this, run); run((value) => seen.push(value), (error) => seen.push(error)) } }
    class P extends Promise { static get [Symbol.species]() { return Own } }
    seen.push(call("x").then.call(P.resolve(1), () => {})); await 0;
    return seen.flatMap((value) => look(value))`,
  ],
  [
    "a then-able from the script",
    `const seen = []; await { then(resolve, reject) { seen.push(resolve, reject); resolve(1) } };
    return seen.flatMap((f) => look(f.constructor("return this")()))`,
  ],
  [
    "a proxy as the arguments",
    `const seen = []; const p = new Proxy({}, { get(target, key, receiver) { seen.push(receiver) }, ownKeys(target) { seen.push(target); return [] }, getOwnPropertyDescriptor() { return undefined } });
    await call("x", p); return seen.filter((each) => each !== p).flatMap(look)`,
  ],
  ["call as a constructor", `try { new call("x"); return ["made"] } catch { return [] }`],
  [
    "call replaced for others",
    `try { globalThis.call = () => 1 } catch {} return call === globalThis.call && /request/.test(call.toString()) ? [] : ["replaced"]`,
  ],
  [
    "call with properties",
    `try { call.left = 1 } catch {} return Object.isFrozen(call) ? [] : ["not frozen"]`,
  ],
  [
    "a getter on the arguments",
    `let self; await call("x", { get a() { self = this; return 1 } }); return look(self)`,
  ],
  [
    "toJSON",
    `let self; await call("x", { toJSON(key) { self = [this, key]; return {} } }); return self.flatMap((value) => look(value))`,
  ],
  [
    "registered symbols",
    `return ["climax.build", "Deno.internal", "nodejs.util.inspect.custom"].filter((key) => globalThis[Symbol.for(key)] !== undefined)`,
  ],
  ["WebAssembly", "return typeof WebAssembly === 'undefined' ? [] : ['there']"],
  [
    "Atomics.wait on the memory",
    `try { return [Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)] } catch { return [] }`,
  ],
  [
    "memory beside a buffer",
    `const view = new Uint8Array(new ArrayBuffer(8)); return [view[-1], view[8], view[2 ** 31], view[2 ** 32 + 8]].filter((value) => value !== undefined)`,
  ],
  [
    "a typed array over more than there is",
    `try { new Uint8Array(new ArrayBuffer(8), 0, 2 ** 30); return ["made"] } catch { return [] }`,
  ],
  [
    "a buffer that is resized below its view",
    `const buffer = new ArrayBuffer(64, { maxByteLength: 128 }); const view = new Uint8Array(buffer); buffer.resize?.(0); return [view[32]].filter((value) => value !== undefined)`,
  ],
  [
    "a fine clock",
    `const times = new Set(); for (let n = 0; n < 1e5; n++) times.add(Date.now()); return times.size === 1 ? [] : ["runs"]`,
  ],
  [
    "the time zone",
    `return new Date().getTimezoneOffset() === 0 && !/[A-Z]{3,}[A-Z ]*\\)/.test(new Date().toString()) ? [] : [new Date().toString()]`,
  ],
  ["the locale", `return typeof Intl === "undefined" ? [] : ["Intl"]`],
  [
    "JSON of __proto__ in the arguments",
    `await call("x", JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}')); return []`,
  ],
  ["JSON of __proto__ in the result", `return JSON.parse('[{"__proto__": {"polluted": 1}}]')`, [
    JSON.parse('{"__proto__": {"polluted": 1}}'),
  ]],
  [
    "code around the script",
    "})(); globalThis.outside = look(this ?? {}); (async function () {",
    null,
  ],
  ["a comment that is not closed", "return []; /*", undefined],
  ["lone surrogates", String.raw`await call("\ud800", {"\udfff": "\ud800"}); return []`],
  [
    "numbers that JSON has not",
    "await call('x', {a: NaN, b: Infinity, c: -0, d: 1e400}); return []",
  ],
  ["Math.random of the host", `return Math.random.toString().includes("native") ? ["native"] : []`],
];

/** Objects of this process that a script could have changed. */
function hostState(): unknown {
  return [
    Object.getOwnPropertyNames(Object.prototype),
    Object.getOwnPropertyNames(Array.prototype),
    Object.getOwnPropertyNames(Promise.prototype),
    "polluted" in {},
    Date.now.toString(),
    JSON.stringify.toString(),
  ];
}

/** A script that breaks what it is made of fails in its VM. */
const ownFailure = /^(?:\w+Error: |The script waits for a promise|It ended its interpreter: )/;

for (const [way, code, expected = []] of ways) {
  Deno.test(`no way out of the VM: ${way}`, async () => {
    const before = hostState();
    const view = await runVm(`${look}\n${code}`, { input: '{"a":1}' });
    const { outcome } = view;
    if ("failure" in outcome) assert.match(outcome.failure, ownFailure);
    else assert.deepEqual(JSON.parse(outcome.returned), expected);
    assert.deepEqual(hostState(), before);
    assertHarmless(view);
  });
}

function assertHarmless({ requests }: VmView): void {
  for (const { kind, value } of requests) {
    assert.match(kind, /^(?:call|search)$/);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  }
}

/** What a script might send if it had the one function of its VM, and how that ends. */
const hostile = [
  ["two endings", [{ kind: "done", text: "1" }, { kind: "done", text: "2" }], { returned: "1" }],
  ["no JSON", [{ kind: "done", text: "no JSON" }], { returned: "no JSON" }],
  ["a failure without JSON", [{ kind: "fail", text: "no" }], { failure: "no" }],
  ["a failure that is null", [{ kind: "fail", text: "null" }], { failure: "null" }],
  ["deep JSON", [{ kind: "done", text: "[".repeat(1e6) }], {
    failure: "The result has more than 100 levels",
  }],
] as const;

for (const [what, messages, expected] of hostile) {
  Deno.test(`what a VM sends does no harm: ${what}`, async () => {
    const thread = new EventEmitter();
    const postMessage = () => messages.forEach((message) => thread.emit("message", message));
    const vm = Object.assign(thread, { postMessage }) as unknown as Worker;
    const outcome = await attend(vm, {
      code: "",
      seed: 1,
      now: 0,
      limits: scriptLimits,
      answer: () => Promise.resolve({ isError: false, text: "", now: 0 }),
      onLog: () => {},
    });
    assert.deepEqual(outcome, expected);
  });
}

Deno.test("a VM after all of these is like a new one", async () => {
  assert.deepEqual(await returnedBy(`${look} return look(globalThis)`), []);
});
