/** The audit log as a table with a filter. */

import { read } from "./api.js";
import { announce, debounce, el, field, problem, table } from "./dom.js";

/** Rows of the table; a filter finds the others. */
const mostRows = 200;

/** Shows the end of the log. */
export async function showCalls(place, { signal }) {
  const words = el("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const decision = el(
    "select",
    {},
    [["", "All"], ["allowed", "Allowed"], ["refused", "Refused"], ["failed", "Allowed, and failed"]]
      .map(([value, text]) => el("option", { value }, text)),
  );
  const out = el("div");
  let log;
  const draw = () =>
    out.replaceChildren(...rowsOf(log, { words: words.value, decision: decision.value }));
  const load = async () => {
    try {
      log = await read("/api/audit");
      if (!signal.aborted) draw();
    } catch (error) {
      out.replaceChildren(problem(error));
    }
  };
  await load();
  place.append(el("h1", {}, "Calls"));
  if (log?.file === null) {
    place.append(
      el(
        "p",
        {},
        "There is no audit log: start with ",
        el("code", {}, "climax ui --audit calls.jsonl"),
      ),
    );
    return;
  }
  words.addEventListener("input", debounce(draw));
  decision.addEventListener("change", draw);
  const wide = field("words", "Filter", words);
  wide.classList.add("wide");
  place.append(
    log ? el("p", { class: "quiet" }, "The end of ", el("code", {}, log.file)) : "",
    el(
      "form",
      { class: "row", role: "search", onsubmit: (event) => event.preventDefault() },
      wide,
      field("decision", "Decision", decision),
      el("button", { type: "button", onclick: load }, "Reload"),
    ),
    out,
  );
}

function rowsOf({ entries, isCut, broken, problem: wrong }, { words, decision }) {
  if (wrong) return [problem({ message: `The audit log cannot be read: ${wrong}` })];
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => {
    if (typeof entry !== "object" || entry === null) return false;
    if (!isWanted(entry, decision)) return false;
    const text = JSON.stringify(entry).toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  announce(`${found.length} calls`);
  const notes = [
    `${found.length} of ${entries.length} calls`,
    found.length > mostRows ? `the last ${mostRows} of them are shown` : "",
    isCut ? "older ones are in the file" : "",
    broken > 0 ? `${broken} lines are not JSON` : "",
  ].filter(Boolean);
  const heads = ["Time", "Tool", "Decision", "Ran", "Ended", "Took", "Client"];
  return [table(notes.join("; "), heads, found.slice(0, mostRows).map(row))];
}

function isWanted(entry, decision) {
  if (decision === "") return true;
  if (decision !== "failed") return entry.decision === decision;
  return entry.decision === "allowed" && (entry.ending !== "exited" || entry.exit_code !== 0);
}

function row(entry) {
  const { time, tool, decision, rule, argv, ending, exit_code: code, refusal, notice } = entry;
  const shown = Array.isArray(argv) ? argv.join(" ") : refusal ?? notice ?? "";
  const said = entry.confirmation === undefined ? "" : `, person: ${entry.confirmation}`;
  return [
    { text: String(time ?? "").replace("T", " ").replace(/\.\d+Z$/, ""), class: "nowrap" },
    String(tool ?? ""),
    {
      node: el(
        "span",
        {},
        el("span", { class: decision === "refused" ? "bad" : "good" }, String(decision ?? "")),
        ` by ${rule ?? "–"}${said}`,
      ),
    },
    { node: more(String(shown), entry) },
    ending === undefined ? "" : code === undefined ? String(ending) : `${ending} ${code}`,
    { text: entry.duration_ms === undefined ? "" : `${entry.duration_ms} ms`, class: "number" },
    String(entry.client ?? ""),
  ];
}

/** The beginning of the command line, with the whole entry behind a disclosure. */
function more(text, entry) {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  const details = el("details", {}, el("summary", {}, el("code", {}, short || "–")));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) {
      details.append(el("pre", { tabindex: "0" }, JSON.stringify(entry, null, 2)));
    }
  });
  return details;
}
