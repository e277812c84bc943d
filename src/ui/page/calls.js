/** Shows the calls of the agents of all clients: pictures, filters, and a table that follows new calls. */

import { activity, outcomes } from "./activity.js";
import { addressOf, callAddress, read } from "./api.js";
import {
  announce,
  bar,
  choice,
  commandLine,
  connectHint,
  copyButton,
  count,
  debounce,
  disclosure,
  duration,
  effectTag,
  el,
  emptyState,
  field,
  plural,
  problem,
  searchField,
  searchForm,
  searchInput,
  sharesWithLegend,
  table,
  tableRow,
  updateRows,
} from "./dom.js";
import { output } from "./output.js";

const heads = [
  "Time",
  "Tool",
  "Outcome",
  "Arguments, or why it did not run",
  { text: "Took", class: "number" },
  { text: "Tokens", class: "number" },
  "Client",
];

const times = [["", "All"], ["1h", "The last hour"], ["1d", "A day"], ["7d", "A week"]];

/** Shows the calls of the log, newest first. */
export async function showCalls(place, { about, signal }) {
  place.append(el("h1", {}, "Calls"));
  const log = await read("/api/audit");
  if (log.file === null) {
    const why = "This page was started with --audit off, so it reads no calls";
    return place.append(emptyState("No log is kept", el("p", {}, why)));
  }
  place.append(...view(log, { about, signal }));
}

function view(first, { about, signal }) {
  const words = searchInput("words");
  const all = [["", "All"]];
  const filters = {
    outcome: choice([...all, ...Object.entries(outcomes).map(([key, [, name]]) => [key, name])]),
    effect: choice([...all, ...["read", "write", "destructive"].map((each) => [each, each])]),
    client: choice([...all, ...first.clients.map((each) => [each, each])]),
    since: choice(times),
  };
  const query = () => {
    const chosen = Object.entries(filters).map(([name, { value }]) => [name, value]);
    return { filter: words.value, ...Object.fromEntries(chosen) };
  };
  const picture = el("div");
  const running = el("ul", { class: "now", "aria-label": "Running" });
  const problems = el("div");
  const found = table("", heads, []);
  const [caption, body] = ["caption", "tbody"].map((tag) => found.querySelector(tag));
  const rows = new RowCache(about);
  const empty = emptyState(
    "No calls yet",
    el("p", {}, "They appear here as they end, those of agents and those of this page"),
    connectHint(about),
  );
  const draw = (log) => {
    running.replaceChildren(...log.running.map(runningCall));
    if (log.unchanged) return;
    const wrong = log.problem ? `The log cannot be read: ${log.problem}` : log.wrong;
    problems.replaceChildren(...(wrong ? [problem({ message: wrong })] : []));
    empty.hidden = log.all > 0 || Boolean(wrong);
    found.hidden = picture.hidden = log.all === 0;
    // A table of numbers that a person has opened stays open when the pictures are drawn again
    const isOpen = [...picture.querySelectorAll("details")].map(({ open }) => open);
    picture.replaceChildren(sharesWithLegend("Calls by outcome", shares(log.days)), activity(log));
    picture.querySelectorAll("details").forEach((each, at) => each.open = isOpen[at] ?? false);
    caption.textContent = notesOf(log);
    updateRows(body, rows.rowsOf(log.calls));
  };
  const live = follow("/api/audit", { first, query, signal }, draw);
  const filter = () => live.again().then(() => announce(caption.textContent));
  words.addEventListener("input", debounce(filter));
  const fields = Object.entries(filters).map(([name, select]) => {
    select.addEventListener("change", filter);
    return field(name, name[0].toUpperCase() + name.slice(1), select);
  });
  draw(first);
  return [
    el("p", { class: "quiet" }, "Of all clients, from ", el("code", {}, first.file)),
    picture,
    searchForm(filter, searchField("words", "Filter", words), ...fields, live.node),
    problems,
    running,
    empty,
    found,
  ];
}

/** Shows a call that this page has started, in any tab. Calls of other programs are in the log once they have ended. */
function runningCall({ tool, running_ms: ms }) {
  return el("li", {}, el("span", { class: "running" }, tool), ` running, ${duration(ms)}`);
}

function shares(days) {
  return Object.entries(outcomes).map(([outcome, [kind, name]]) => {
    const number = days.reduce((sum, day) => sum + (day[outcome] ?? 0), 0);
    return { name, kind, number };
  }).filter(({ number, name }) => number > 0 || name === "done");
}

function notesOf({ found, all, calls, isCut, broken }) {
  return [
    `${count(found)} of ${plural(all, "call")}`,
    found > calls.length ? `the last ${count(calls.length)} of them are shown` : "",
    isCut ? "older ones are in the file" : "",
    broken > 0 ? `${plural(broken, "line is", "lines are")} not of climax` : "",
  ].filter(Boolean).join("; ");
}

/** Keeps the row of each entry of the log, so that a redrawn table has the same elements, with their state. */
class RowCache {
  #rows = new Map();
  #about;

  constructor(about) {
    this.#about = about;
  }

  rowsOf(calls) {
    const most = Math.max(...calls.map(({ entry }) => Number(entry.duration_ms) || 0), 1);
    const kept = new Map();
    for (const call of calls) {
      let key = JSON.stringify(call.entry);
      while (kept.has(key)) key += "+";
      const row = this.#rows.get(key) ?? tableRow(heads, cells(call, this.#about));
      const bar = row.querySelector(".bar span");
      if (bar !== null) bar.style.width = `${100 * (Number(call.entry.duration_ms) || 0) / most}%`;
      kept.set(key, row);
    }
    this.#rows = kept;
    return [...kept.values()];
  }
}

/** Returns a text for a value of the log, which may be any JSON, as other programs may write to the file. */
function textOf(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Words for what is recorded of a person's answer. */
const answers = {
  accepted: "confirmed",
  declined: "the person said no",
  cancelled: "the person did not confirm",
  "not asked": "the client cannot ask",
  asked: "the person is asked",
  waiting: "waits for a yes",
};

function cells(call, about) {
  const { entry, outcome, is_served: isServed } = call;
  const { time, tool, effect, ending, exit_code: code, confirmation, approval, parent } = entry;
  const [kind, name] = outcomes[outcome];
  const how = outcome === "failed" && ending !== undefined
    ? code === undefined ? textOf(ending) : `exit code ${textOf(code)}`
    : "";
  const person = approval?.choice === undefined
    ? answers[confirmation]
    : `${textOf(approval.choice)}, by ${textOf(approval.by)}`;
  const inScript = parent && `in script ${textOf(parent).slice(0, 8)}`;
  const label = textOf(tool);
  return [
    { text: localTime(time), class: "nowrap" },
    {
      node: el(
        "span",
        { class: "line" },
        isServed ? el("a", { href: addressOf("tools", { name: label }) }, label) : label,
        effect && effect !== "read" ? effectTag(effect) : undefined,
      ),
    },
    {
      node: el(
        "div",
        { class: "short" },
        el("span", { class: `key ${kind}` }, name),
        el("div", { class: "note" }, [how, person, inScript].filter(Boolean).join(", ")),
      ),
    },
    { node: beginning(call, about), class: "code plain" },
    { node: took(entry), class: "number short" },
    { text: Number.isFinite(entry.tokens) ? count(entry.tokens) : "", class: "number short" },
    { text: textOf(entry.client), class: "short" },
  ];
}

function took({ duration_ms: ms }) {
  if (!Number.isFinite(ms)) return "";
  return el("span", { class: "bar" }, duration(ms), bar(0, 1).node);
}

/** Formats a time as `2026-11-22 09:00:03` in the time zone of the browser. */
function localTime(time) {
  const date = new Date(typeof time === "string" ? time : NaN);
  return Number.isNaN(date.getTime()) ? textOf(time) : date.toLocaleString("sv-SE");
}

/** A row of the table shows at most this many characters of a call. */
const shortLength = 120;

/** Creates the short text of a call, which opens to show its question, its answer and the whole entry. */
function beginning(call, about) {
  const { entry, outcome } = call;
  const { arguments: args, argv, refusal, question, notice, script, error, calls } = entry;
  const own = script && [
    ...[`script ${textOf(script).slice(0, 8)}`, error],
    ...(Array.isArray(calls) ? calls.map((call) => call?.tool) : []),
    args,
  ].map(textOf).filter(Boolean).join("; ");
  const line = Array.isArray(argv) ? commandLine(argv) : own || args && JSON.stringify(args);
  const isRefused = outcome === "refused" || outcome === "waiting";
  const text = textOf((isRefused ? question ?? refusal : line) ?? notice ?? line);
  const short = text.length > shortLength ? `${text.slice(0, shortLength)}…` : text;
  return disclosure(el("code", {}, short || "–"), () => whole(call, about));
}

function whole({ entry, repeat }, { command }) {
  const { tool, rule, question, confirmation, approval, confirmation_ms: ms } = entry;
  const asked = [
    answers[confirmation] ?? textOf(confirmation),
    approval?.choice &&
    [approval.choice, "by", approval.by, "with", approval.how].map(textOf).join(" "),
    Number.isFinite(ms) && `after ${duration(ms)}`,
  ].filter(Boolean).join(", ");
  const facts = [["Rule", rule], ["Question", question], ["Answer", question && asked]]
    .filter(([, value]) => value);
  const again = repeat && el(
    "p",
    { class: "line" },
    el("a", { href: callAddress(textOf(tool), repeat) }, "Repeat"),
    copyButton(`${command} ${commandOf(textOf(tool), repeat)}`, "Copy as command"),
  );
  return el(
    "div",
    {},
    el("dl", {}, facts.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, textOf(text))])),
    again,
    output(JSON.stringify(entry, null, 2), { name: `${textOf(tool)}.json` }),
  );
}

/** Returns a `climax call` line with pairs, or with JSON if a value is no plain text or a name might be an option. */
export function commandOf(tool, args) {
  const pairs = Object.entries(args);
  const isPlain = pairs.every(([name, value]) => {
    return /^[A-Za-z]\w*$/.test(name) && typeof value !== "object" && !/^[@{]/.test(value);
  });
  const given = isPlain
    ? pairs.map(([name, value]) => `${name}=${value}`)
    : ["--args", JSON.stringify(args)];
  return commandLine(["call", tool, ...given]);
}

/** The log is read again after this many milliseconds. */
const intervalMs = 1000;

/**
 * Reads `path` with `query()` each second until `signal` aborts, and calls `onChange` with each value. A value with
 * `unchanged` lacks its larger part, which is as before. Returns a button that pauses the reads, and a function that
 * reads at once. A page in the background reads nothing.
 */
function follow(path, { first, query, signal }, onChange) {
  let { etag } = first;
  let isPaused = false;
  const state = el("span", { class: "live" }, "Live");
  const button = el("button", { type: "button" }, "Pause");
  const say = (text, kind) => {
    if (state.textContent !== text) announce(text);
    state.textContent = text;
    state.className = kind;
  };
  const readOnce = async (known = etag ?? "") => {
    const asked = query();
    try {
      const next = await read(path, { ...asked, etag: known });
      // If the filter has changed meanwhile, this answer is for the old filter and is dropped
      if (signal.aborted || JSON.stringify(asked) !== JSON.stringify(query())) return;
      say(isPaused ? "Paused" : "Live", isPaused ? "paused" : "live");
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
  return { node: el("div", { class: "following" }, state, button), again: () => readOnce("") };
}
