/** The policy's decision on each tool, with the rule and its place in the file. */

import { read } from "./api.js";
import { announce, debounce, el, field, table } from "./dom.js";

/** Rows of the table; a filter finds the others. */
const mostRows = 500;

export async function showPolicy(place) {
  const { file, decisions, left } = await read("/api/policy");
  place.append(el("h1", {}, "Policy"));
  if (file === null) {
    place.append(
      el("p", {}, "There is no policy: every tool may be called with any arguments"),
      el(
        "p",
        {},
        "Write one with ",
        el("code", {}, "climax policy init"),
        ", and start with ",
        el("code", {}, "climax ui --policy policy.yaml"),
      ),
    );
    return;
  }
  const words = el("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const served = el(
    "select",
    {},
    [["", "All"], ["yes", "Served"], ["no", "Not served"]].map(([value, text]) =>
      el("option", { value }, text)
    ),
  );
  const out = el("div");
  const draw = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = decisions.filter((each) => {
      if (served.value !== "" && each.served !== (served.value === "yes")) return false;
      const text = Object.values(each).join(" ").toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    announce(`${found.length} tools`);
    const notes = [
      `${found.length} of ${decisions.length} tools`,
      found.length > mostRows ? `the first ${mostRows} of them are shown` : "",
      left > 0 ? `${left} more are left out` : "",
    ].filter(Boolean).join("; ");
    const heads = ["Tool", "Effect", "Served", "Rule", "Place", "Reason or constraints"];
    out.replaceChildren(table(notes, heads, found.slice(0, mostRows).map(row)));
  };
  words.addEventListener("input", debounce(draw));
  served.addEventListener("change", draw);
  const wide = field("words", "Filter", words);
  wide.classList.add("wide");
  const count = decisions.filter((each) => each.served).length;
  place.append(
    el(
      "p",
      { class: "quiet" },
      `${count} of ${decisions.length} tools are served, by `,
      el("code", {}, file),
    ),
    el(
      "p",
      { class: "quiet" },
      "For one call with its arguments, use “Show what would be run” on the page of the tool",
    ),
    el(
      "form",
      { class: "row", role: "search", onsubmit: (event) => event.preventDefault() },
      wide,
      field("served", "Served", served),
    ),
    out,
  );
  draw();
}

function row({ tool, effect, served, rule, place, reason, demands }) {
  const name = served
    ? el("a", { href: `#/tools/${encodeURIComponent(tool)}` }, tool)
    : el("span", {}, tool);
  return [
    { node: name },
    effect,
    { text: served ? "yes" : "no", class: served ? "good" : "bad" },
    { node: el("code", {}, rule) },
    { node: el("code", {}, place) },
    served ? (demands ?? "").replace(/^[^;]*(; )?/, "") : reason ?? "",
  ];
}
