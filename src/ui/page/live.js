/** Reads a path again and again while its view is shown, and only where it has changed. */

import { read } from "./api.js";
import { announce, el } from "./dom.js";

/** Milliseconds between two readings. */
const intervalMs = 1000;

/**
 * Calls `onChange` with each value of `path` until `signal` aborts. Values have an `etag`, and are without their
 * larger part, `unchanged`, while that is the same. Returns a button that pauses it. A page in the background reads
 * nothing.
 */
export function follow(path, { first, signal }, onChange) {
  let { etag } = first;
  let isPaused = false;
  const state = el("span", { class: "live" }, "Live");
  const button = el("button", { type: "button" }, "Pause");
  const say = (text, kind) => {
    if (state.textContent !== text) announce(text);
    state.textContent = text;
    state.className = kind;
  };
  const readOnce = async () => {
    try {
      const next = await read(path, { etag: etag ?? "" });
      if (signal.aborted || isPaused) return;
      say("Live", "live");
      etag = next.etag ?? etag;
      onChange(next);
    } catch (error) {
      say(error.message, "bad");
    }
  };
  const loop = async () => {
    if (!isPaused && !document.hidden) await readOnce();
    if (!signal.aborted) timer = setTimeout(loop, intervalMs);
  };
  let timer = setTimeout(loop, intervalMs);
  signal.addEventListener("abort", () => clearTimeout(timer));
  button.addEventListener("click", () => {
    isPaused = !isPaused;
    button.textContent = isPaused ? "Resume" : "Pause";
    say(isPaused ? "Paused" : "Live", isPaused ? "paused" : "live");
    if (!isPaused) readOnce();
  });
  return el("div", { class: "following" }, state, button);
}
