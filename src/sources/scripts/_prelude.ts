/** The functions that a script has, such as call(). A script may change them, so no bound depends on them. */

/** Names by which stack traces tell the script from the code that makes its functions. */
export const fileName = "script.js";
export const preludeName = "climax";

export const prelude = String.raw`((send, options) => {
  "use strict";
  const { seed, calls, atOnce, heap } = options;
  const { parse, stringify } = JSON;
  const { defineProperty, freeze } = Object, { apply } = Reflect;
  const PlainError = Error, PlainPromise = Promise, PlainString = String, { isArray } = Array;
  const test = RegExp.prototype.test, isJson = /^\s*[[{]/;
  const then = PlainPromise.prototype.then;
  const waiting = { __proto__: null };
  let last = 0;

  // A script's value that JSON cannot express, such as a function, becomes null
  const json = (value) => stringify(value) ?? "null";
  const request = (kind, value, read) => new PlainPromise((resolve, reject) => {
    const text = json(value);
    if (last >= calls) {
      throw new PlainError("A script makes " + calls + " calls and searches at most");
    }
    const id = ++last;
    waiting[id] = { resolve, reject, read };
    send(kind, id, text);
  });
  const deliver = (id, isError, written, data, isQuoted) => {
    const text = isQuoted ? parse(written) : written;
    const { resolve, reject, read } = waiting[id];
    delete waiting[id];
    if (isError) reject(new PlainError(text));
    else resolve(read(text, data));
  };

  const resultOf = (text, data) => {
    const result = { text };
    if (data !== undefined) result.data = parse(data);
    else if (apply(test, isJson, [text])) {
      // Many scripts read only the text of a result, so its JSON is parsed when a script first asks for the data
      const set = (value) =>
        defineProperty(result, "data", { value, enumerable: true, writable: true, configurable: true });
      const get = () => {
        let value;
        try { value = parse(text); } catch { value = undefined; }
        set(value);
        return value;
      };
      defineProperty(result, "data", { get, set, enumerable: false, configurable: true });
    }
    return result;
  };
  const call = (name, args, options) => {
    return request("call", { name, args, select: options?.select }, resultOf);
  };
  const search = (query, options) => {
    return request("search", { query, limit: options?.limit }, (text) => parse(text));
  };
  const all = async (list, most = atOnce) => {
    if (!isArray(list)) throw new TypeError("all() takes a list of functions or promises");
    if (!(most >= 1 && most <= atOnce)) {
      throw new RangeError("all() runs 1 to " + atOnce + " at once, not " + most);
    }
    const results = [];
    let next = 0;
    const work = async () => {
      while (next < list.length) {
        const at = next++, item = list[at];
        results[at] = await (typeof item === "function" ? item() : item);
      }
    };
    const workers = [];
    for (let at = 0; at < most; at++) workers[at] = work();
    await PlainPromise.all(workers);
    return results;
  };
  const log = (...values) => {
    let line = "";
    for (const value of values) {
      line += (line === "" ? "" : " ") + (typeof value === "string" ? value : json(value));
    }
    send("log", 0, line);
  };

  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6D2B79F5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const define = (object, name, value) =>
    defineProperty(object, name, { value, writable: false, enumerable: false, configurable: false });
  define(Math, "random", random);
  for (const [name, value] of [["call", call], ["search", search], ["all", all], ["log", log]]) {
    define(globalThis, name, freeze(value));
  }
  // Agents often write console.log, as in Node.js, so it works like log()
  globalThis.console = freeze({ log, info: log, warn: log, error: log });

  const start = (main, input) => {
    if (input !== undefined) input = parse(input);
    define(globalThis, "input", input);
    const fail = (error) => {
      // QuickJS throws null if no memory is left for an error object
      if (error === null) error = new PlainError("It threw null, or the " + heap + " MiB of its memory are full");
      const isError = error instanceof PlainError;
      const kind = isError && error.name !== "Error" ? error.name + ": " : "";
      const thrown = typeof error === "object" ? json(error) : PlainString(error);
      send("fail", 0, stringify({
        message: isError ? kind + error.message : "It threw " + thrown,
        stack: isError ? "" + error.stack : "",
      }));
    };
    apply(then, main(), [
      (value) => {
        try { send("done", 0, json(value)); } catch (error) { fail(error); }
      },
      fail,
    ]);
  };
  return { start, deliver };
})`;
