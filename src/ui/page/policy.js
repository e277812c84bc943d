/** The policy's decision on each tool, with the rule and its place in the file. */

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
  searchField,
  searchForm,
  searchInput,
  sharesWithLegend,
  table,
  wordsTest,
} from "./dom.js";

/** Rows of the table; a filter finds the others. */
const mostRows = 500;

const heads = ["Tool", "Effect", "Served", "Rule", "Place", "Reason or constraints"];

export async function showPolicy(place) {
  const policy = await read("/api/policy");
  place.append(el("h1", {}, "Policy"), ...(policy.file === null ? none() : view(policy)));
}

function none() {
  return [
    el("p", {}, "There is no policy: every tool may be called with any arguments"),
    el(
      "p",
      {},
      "Write one with ",
      el("code", {}, "climax policy init"),
      ", and start with ",
      el("code", {}, "climax ui --policy policy.yaml"),
    ),
  ];
}

function view({ file, decisions, left }) {
  const words = searchInput("words");
  const served = choice([["", "All"], ["yes", "Served"], ["no", "Not served"]]);
  const effect = choice(
    ["", "read", "write", "destructive"].map((value) => [value, value || "Any effect"]),
  );
  const out = el("div");
  const draw = () => {
    const matches = wordsTest(words.value);
    const found = decisions.filter((each) => {
      if (served.value !== "" && each.served !== (served.value === "yes")) return false;
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
    el("p", { class: "quiet" }, el("code", {}, file)),
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
  ];
}

function decisionShares(decisions) {
  const served = decisions.filter((each) => each.served);
  const parts = ["read", "write", "destructive"].map((kind) => {
    const number = served.filter(({ effect }) => effect === kind).length;
    return { name: `served, ${kind}`, kind, number };
  });
  const denied = decisions.length - served.length;
  return [...parts, { name: "not served", kind: "denied", number: denied }];
}

function row({ tool, effect, served, rule, place, reason, demands }) {
  const name = served
    ? el("a", { href: addressOf("tools", { name: tool }) }, tool)
    : el("span", {}, tool);
  return [
    { node: name },
    { node: effectTag(effect), class: "short plain" },
    { text: served ? "yes" : "no", class: served ? "good short" : "bad short" },
    { node: el("code", {}, rule), class: "code rule" },
    { node: el("code", {}, fileName(place)), class: "code" },
    served ? (demands ?? "").replace(/^[^;]*(; )?/, "") : reason ?? "",
  ];
}
