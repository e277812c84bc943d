/** What a call would run, or why it would be refused. */

import { announce, copyable, disclosure, el, pre } from "./dom.js";
import { plural } from "./format.js";

/** Creates the elements of a dry run. */
export function plan(answer) {
  announce(answer.ok ? "It would be run" : "It would be refused");
  return answer.ok ? allowed(answer) : refused(answer);
}

function refused({ text, rule }) {
  return [
    el("h2", { class: "bad" }, "It would be refused"),
    el("p", {}, "Decided by ", el("code", {}, rule)),
    pre(text),
  ];
}

function allowed({ line, command, plan, rule, needs_consent: asks }) {
  return [
    el("h2", {}, "It would run this; nothing was run"),
    copyable(command ?? line, { class: command === null ? undefined : "command" }),
    facts([
      ["Allowed by", el("code", {}, rule)],
      ["Asks first", asks ? "a person, before it runs" : undefined],
      ["Working directory", plan.cwd && el("code", {}, plan.cwd)],
      ["Sandbox", plan.sandbox && el("code", {}, JSON.stringify(plan.sandbox))],
      ["Timeout", plan.timeout === undefined ? undefined : plural(plan.timeout, "second")],
      ["Environment", plan.env && plural(plan.env.length, "variable")],
      ["Standard input", plan.stdin_bytes && plural(plan.stdin_bytes, "byte")],
    ]),
    disclosure("All details", () => pre(JSON.stringify(plan, null, 2))),
  ];
}

/** Creates a list of names and values; those without a value are left out. */
function facts(entries) {
  const given = entries.filter(([, value]) => value !== undefined && value !== "");
  return el(
    "dl",
    {},
    given.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]).flat(),
  );
}
