/** Shows the policy's decision on each tool, with the rule and its place in the file. */

import { addressOf, read } from "./api.js";
import {
  announce,
  choice,
  count,
  debounce,
  effectTag,
  el,
  field,
  fileName,
  plural,
  problem,
  searchField,
  searchForm,
  searchInput,
  sharesWithLegend,
  table,
  wordsTest,
} from "./dom.js";

/** The table has at most this many rows; by the filter, a person finds the others. */
const mostRows = 500;

const heads = ["Tool", "Effect", "Served", "Rule, its place, and what it demands"];

export async function showPolicy(place, { about }) {
  const policy = await read("/api/policy");
  place.append(el("h1", {}, "Policy"), ...(policy.file === null ? none(about) : view(policy)));
}

/** The policies that come with climax and need no file. */
const bundled = {
  work: "what stays in the folder runs; a person is asked before the rest",
  ask: "reads run; everything else asks a person first",
  readonly: "only tools that read are served",
  open: "every tool runs, and none asks",
};

function none({ command }) {
  const out = el("div", { role: "region", "aria-label": "Preview" });
  const buttons = Object.keys(bundled).map((name) => {
    const preview = async () => {
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
      try {
        const policy = await read("/api/policy", { preview: name });
        out.replaceChildren(...previewNotes(name), ...view(policy));
      } catch (error) {
        out.replaceChildren(problem(error));
      }
    };
    const button = el(
      "button",
      { type: "button", "aria-pressed": "false", onclick: preview },
      el("strong", {}, `Preview ${name}`),
      el("span", { class: "quiet" }, bundled[name]),
    );
    return button;
  });
  return [
    el(
      "p",
      {},
      el("strong", {}, "No policy: "),
      "tools that say they write ask you first; all others run, with any arguments",
    ),
    el("div", { class: "cards" }, buttons),
    out,
    el(
      "p",
      { class: "quiet" },
      "For rules of your own, write a file with ",
      el("code", {}, `${command} policy init`),
      " and start with ",
      el("code", {}, "--policy FILE"),
    ),
  ];
}

function previewNotes(name) {
  return [
    el("h2", {}, `Under ${name}: ${bundled[name]}`),
    el(
      "p",
      {},
      "A preview: nothing has changed. To use it, start with ",
      el("code", {}, `--policy ${name}`),
    ),
  ];
}

function view({ file, decisions, left }) {
  const words = searchInput("words");
  const served = choice([["", "All"], ["yes", "Served"], ["asks", "Asks first"], [
    "no",
    "Not served",
  ]]);
  const effect = choice(
    ["", "read", "write", "destructive"].map((value) => [value, value || "Any effect"]),
  );
  const out = el("div");
  const draw = () => {
    const matches = wordsTest(words.value);
    const found = decisions.filter((each) => {
      if (served.value === "asks" && !(each.served && each.asks)) return false;
      if (served.value === "yes" && !each.served) return false;
      if (served.value === "no" && each.served) return false;
      if (effect.value !== "" && each.effect !== effect.value) return false;
      return matches(Object.values(each).join(" "));
    });
    announce(plural(found.length, "tool"));
    const notes = [
      `${count(found.length)} of ${plural(decisions.length, "tool")}`,
      found.length > mostRows ? `the first ${count(mostRows)} of them are shown` : "",
      left > 0 ? `${count(left)} more are left out` : "",
    ].filter(Boolean).join("; ");
    out.replaceChildren(table(notes, heads, found.slice(0, mostRows).map(row)));
  };
  words.addEventListener("input", debounce(draw));
  served.addEventListener("change", draw);
  effect.addEventListener("change", draw);
  draw();
  return [
    file in bundled ? undefined : el("p", { class: "quiet" }, el("code", {}, file)),
    sharesWithLegend("Decisions", decisionShares(decisions)),
    el(
      "p",
      { class: "quiet" },
      "To check a single call, use “Show what would be run” on the tool's page",
    ),
    searchForm(
      draw,
      searchField("words", "Filter", words),
      field("served", "Served", served),
      field("effect", "Effect", effect),
    ),
    out,
  ].filter((each) => each !== undefined);
}

function decisionShares(decisions) {
  const served = decisions.filter((each) => each.served);
  const asking = (kind) => served.filter(({ asks }) => asks === kind).length;
  const parts = ["read", "write", "destructive"].map((kind) => {
    const number = served.filter(({ effect, asks }) => effect === kind && !asks).length;
    return { name: `run without asking, ${kind}`, kind, number };
  });
  const denied = decisions.length - served.length;
  return [
    ...parts,
    { name: "ask first", kind: "asks", number: asking(true) },
    { name: "ask by their arguments", kind: "depends", number: asking("outside") },
    { name: "not served", kind: "denied", number: denied },
  ].filter(({ number }) => number > 0);
}

function row({ tool, effect, served, asks, rule, place, reason, demands }) {
  const more = served
    ? (demands ?? "").split("; ").slice(1).filter((each) => each !== "asks a person").join("; ")
    : rule === "deny"
    ? "denied by name"
    : reason;
  const name = served
    ? el("a", { href: addressOf("tools", { name: tool }) }, tool)
    : el("span", {}, tool);
  return [
    { node: name },
    { node: effectTag(effect), class: "short plain" },
    {
      text: !served ? "no" : asks === "outside" ? "may ask" : asks ? "asks first" : "yes",
      class: served ? asks ? "short" : "good short" : "bad short",
    },
    {
      node: el(
        "span",
        {},
        el("code", {}, rule),
        " ",
        el("span", { class: "quiet" }, `${fileName(place)}${more ? `; ${more}` : ""}`),
      ),
      class: "code rule plain",
    },
  ];
}
