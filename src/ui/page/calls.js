/** The audit log as a table with a filter, kept up to date. */

import { addressOf, read } from "./api.js";
import {
  announce,
  bar,
  choice,
  commandLine,
  count,
  debounce,
  disclosure,
  duration,
  el,
  field,
  plural,
  pre,
  problem,
  searchField,
  searchForm,
  searchInput,
  sharesWithLegend,
  table,
  tableRow,
  updateRows,
  wordsTest,
} from "./dom.js";

/** Rows of the table; a filter finds the others. */
const mostRows = 200;

const heads = [
  "Time",
  "Tool",
  "Decision",
  "Command, or why it did not run",
  "Ended",
  { text: "Took", class: "number" },
  "Client",
];

/** Shows the end of the log, or of the page's own calls. */
export async function showCalls(place, { about, signal }) {
  place.append(el("h1", {}, "Calls"));
  const first = await read("/api/audit");
  place.append(...view(first, { source: sourceOf(first, about), signal }));
}

/** Configs of the command line in a hint; more are left out. */
const mostConfigs = 4;

function sourceOf({ file }, { configs }) {
  if (file !== null) return ["The end of ", el("code", {}, file)];
  const words = configs.length > mostConfigs ? ["…"] : configs;
  return [
    "The calls of this page since it was started. To keep them, and to see those of agents: ",
    el("code", {}, ["climax ui", ...words, "--audit calls.jsonl"].join(" ")),
  ];
}

function view(first, { source, signal }) {
  const words = searchInput("words");
  const decision = choice([
    ["", "All"],
    ["allowed", "Allowed"],
    ["refused", "Refused"],
    ["failed", "Allowed, and failed"],
    ["stopped", "Stopped"],
  ]);
  const picture = el("div");
  const running = el("ul", { class: "now", "aria-label": "Running" }, runningCalls(first.running));
  const problems = el("div");
  const found = table("", heads, []);
  const [caption, body] = ["caption", "tbody"].map((tag) => found.querySelector(tag));
  const rows = new RowCache();
  let log = first;
  const draw = () => {
    const wrong = log.problem && `The audit log cannot be read: ${log.problem}`;
    problems.replaceChildren(...(wrong ? [problem({ message: wrong })] : []));
    const entries = log.entries.filter((entry) => typeof entry === "object" && entry !== null);
    const shown = wanted(entries, { words: words.value, decision: decision.value });
    picture.replaceChildren(
      entries.length > 0
        ? sharesWithLegend("Calls by outcome", outcomes(entries))
        : el("p", {}, "No calls yet: they appear here as they end"),
    );
    caption.textContent = notesOf(log, shown.length, entries.length);
    found.hidden = entries.length === 0;
    updateRows(body, rows.rowsOf(shown.slice(0, mostRows)));
  };
  const filter = () => {
    draw();
    announce(caption.textContent);
  };
  words.addEventListener("input", debounce(filter));
  decision.addEventListener("change", filter);
  const live = follow("/api/audit", { first, signal }, (next) => {
    running.replaceChildren(...runningCalls(next.running));
    if (next.unchanged) return;
    log = next;
    draw();
  });
  draw();
  return [
    el("p", { class: "quiet" }, source),
    picture,
    searchForm(
      filter,
      searchField("words", "Filter", words),
      field("decision", "Decision", decision),
      live,
    ),
    problems,
    running,
    found,
  ];
}

/** The calls of the page, in any tab; those of other programs are in the log when they have ended. */
function runningCalls(calls) {
  return calls.map(({ tool, running_ms: ms }) =>
    el("li", {}, el("span", { class: "running" }, tool), ` running, ${duration(ms)}`)
  );
}

function wanted(entries, { words, decision }) {
  const matches = wordsTest(words);
  return entries.filter((entry) => {
    const outcome = outcomeOf(entry);
    const isWanted = decision === "" || decision === outcome || decision === entry.decision;
    return isWanted && matches(JSON.stringify(entry));
  });
}

/** `failed` is a call that was allowed and whose result is an error; `stopped` one that its client ended. */
function outcomeOf({ decision, ending, exit_code: code, fits }) {
  if (decision !== "allowed") return "refused";
  if (ending === "cancelled") return "stopped";
  // A job that still runs has no ending
  const isDone = ending === undefined || ending === "answered" || ending === "exited" && code === 0;
  return isDone && fits !== false ? "done" : "failed";
}

function outcomes(entries) {
  const kinds = { done: "done", failed: "failed", stopped: "stopped", refused: "denied" };
  const names = { ...kinds, failed: "allowed, and failed", refused: "refused" };
  return Object.entries(kinds).map(([outcome, kind]) => {
    const number = entries.filter((entry) => outcomeOf(entry) === outcome).length;
    return { name: names[outcome], kind, number };
  });
}

function notesOf({ file, isCut, broken }, found, all) {
  return [
    `${count(found)} of ${plural(all, "call")}`,
    found > mostRows ? `the last ${count(mostRows)} of them are shown` : "",
    isCut ? `older ones are ${file === null ? "not kept" : "in the file"}` : "",
    broken > 0 ? `${plural(broken, "line is", "lines are")} not JSON` : "",
  ].filter(Boolean).join("; ");
}

/** Rows by their entries: one that is already shown stays the same element. */
class RowCache {
  #rows = new Map();

  rowsOf(entries) {
    const most = Math.max(...entries.map((entry) => entry.duration_ms ?? 0), 1);
    const kept = new Map();
    for (const entry of entries) {
      let key = JSON.stringify(entry);
      while (kept.has(key)) key += "+";
      const row = this.#rows.get(key) ?? tableRow(heads, cells(entry));
      const bar = row.querySelector(".bar span");
      if (bar !== null) bar.style.width = `${100 * (entry.duration_ms ?? 0) / most}%`;
      kept.set(key, row);
    }
    this.#rows = kept;
    return [...kept.values()];
  }
}

/** What a person answered. */
const answers = {
  accepted: "confirmed",
  declined: "the person said no",
  cancelled: "the person did not confirm",
  "not asked": "the client cannot ask",
  asked: "the person is asked",
  waiting: "waits for a yes",
};

function cells(entry) {
  const { time, tool, decision, rule, argv, ending, exit_code: code, refusal, notice } = entry;
  const line = Array.isArray(argv) ? commandLine(argv) : undefined;
  const ran = (decision === "allowed" ? line : refusal ?? line) ?? notice ?? "";
  const person = answers[entry.confirmation];
  const isAnswered = decision !== "allowed" && person !== undefined;
  const kind = outcomeOf(entry) === "refused" ? "bad" : "good";
  const ended = ending === undefined
    ? ""
    : code === undefined
    ? String(ending)
    : `exit code ${code}`;
  return [
    { text: localTime(time), class: "nowrap" },
    { node: toolLink(String(tool ?? ""), rule) },
    {
      node: el(
        "span",
        {},
        el("span", { class: kind }, String(decision ?? "")),
        isAnswered ? `: ${person}` : ` by ${rule ?? "–"}${person ? `, ${person}` : ""}`,
      ),
    },
    { node: beginning(String(ran), entry), class: "code plain" },
    { text: ended, class: outcomeOf(entry) === "failed" ? "bad short" : "short" },
    { node: took(entry), class: "number short" },
    { text: String(entry.client ?? ""), class: "short" },
  ];
}

function took({ duration_ms: ms }) {
  if (ms === undefined) return "";
  return el("span", { class: "bar" }, duration(ms), bar(0, 1).node);
}

/** A tool that is not served has no page. */
function toolLink(tool, rule) {
  return /^(?:(?:unknown|withheld) tool|deny|default: disabled)$/.test(rule)
    ? tool
    : el("a", { href: addressOf("tools", { name: tool }) }, tool);
}

/** `2026-11-22 09:00:03` in the time zone of the browser. */
function localTime(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time ?? "") : date.toLocaleString("sv-SE");
}

/** The beginning of the command line, with the whole entry behind a disclosure. */
function beginning(text, entry) {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return disclosure(el("code", {}, short || "–"), () => pre(JSON.stringify(entry, null, 2)));
}

/** Milliseconds between two readings. */
const intervalMs = 1000;

/**
 * Calls `onChange` with each value of `path` until `signal` aborts. Values have an `etag`, and are without their
 * larger part, `unchanged`, while that is the same. Returns a button that pauses it. A page in the background reads
 * nothing.
 */
function follow(path, { first, signal }, onChange) {
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
