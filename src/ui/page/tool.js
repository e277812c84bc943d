/** Shows one tool: its description, a form to call it, and the results of calls beside the form. */

import { addressOf, callAddress, read, write } from "./api.js";
import { followCall } from "./call.js";
import { lastSearch } from "./catalogue.js";
import {
  absentTag,
  announce,
  copyable,
  copyButton,
  debounce,
  disclosure,
  effectTag,
  el,
  emptyState,
  plural,
  pre,
  problem,
} from "./dom.js";
import { formOf } from "./form.js";

export async function showTool(place, { about, name, query, signal }) {
  const tool = await read("/api/tool", { name });
  if (tool.near !== undefined) return showUnknown(place, name, tool);
  const isAbsent = about.programs.some((each) => each.name === tool.cli && each.is_absent);
  const form = formOf(tool.input_schema, { secret: tool.secret });
  const keep = keeperOf(form, { query, secret: tool.secret, signal });
  // The switch to JSON stands behind the fields, so that the Tab key reaches the fields first
  form.node.append(form.toggle);
  const out = el(
    "section",
    { class: "outcome", "aria-label": "Result" },
    emptyState("No result yet", el("p", {}, "Run it, or see first what would be run")),
  );
  const actions = actionsOf(tool, { form, out, signal });
  place.addEventListener("keydown", actions.onKey);
  place.append(
    el("p", { class: "back" }, el("a", { href: lastSearch }, "← Tools")),
    el("h1", {}, tool.name),
    tool.title ? el("p", { class: "text" }, tool.title) : "",
    el("p", { class: "text" }, tool.description),
    el(
      "p",
      { class: "line" },
      effectTag(tool.effect),
      isAbsent ? absentTag() : undefined,
      tagsOf(tool),
    ),
    el(
      "div",
      { class: "columns" },
      el(
        "form",
        {
          class: "call",
          "aria-label": "Arguments",
          autocomplete: "off",
          novalidate: true,
          onsubmit: (event) => (event.preventDefault(), actions.dryRun()),
          oninput: keep,
        },
        el(
          "div",
          { class: "line" },
          el("h2", {}, "Arguments"),
          el("span", { class: "note" }, "Empty fields are omitted"),
          copyButton(() => linkOf(tool, form), "Copy link"),
        ),
        form.node,
        actions.node,
      ),
      out,
    ),
    disclosure("The schema an agent gets", () => pre(JSON.stringify(tool.input_schema, null, 2))),
  );
}

/** Shows links to tools with similar names, because no tool `name` is served. */
function showUnknown(place, name, { near }) {
  const link = (text, href) => el("p", {}, el("a", { href }, text));
  const query = name.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  place.append(
    el("h1", {}, name),
    emptyState(
      "No tool of this name is served",
      ...near.map((other) => link(`Did you mean ${other}?`, addressOf("tools", { name: other }))),
      link("Search for it", addressOf("tools", { query: { query } })),
      link("See what the policy leaves out", addressOf("policy")),
    ),
  );
}

/**
 * Fills the form with the arguments in the address, or with those that were typed before a reload. Returns a function
 * that stores the typed values for a reload, except secrets.
 */
function keeperOf(form, { query, secret, signal }) {
  const { hash } = location;
  try {
    const given = history.state.args ?? JSON.parse(query.args ?? "null");
    if (given !== null) form.write(given);
  } catch {
    announce("The arguments in the address cannot be read");
  }
  return debounce(() => {
    // If another view was opened meanwhile, `history.state` belongs to that view
    if (signal.aborted || location.hash !== hash) return;
    const args = Object.entries(form.typed() ?? {}).filter(([name]) => !secret.includes(name));
    history.replaceState({ seen: true, args: Object.fromEntries(args) }, "");
  });
}

/** Returns an address that opens the tool with these arguments; the server leaves out those that are credentials. */
async function linkOf(tool, form) {
  const { link } = await write("/api/dry-run", { tool: tool.name, args: form.typed() ?? {} });
  return location.origin + "/" + callAddress(tool.name, link);
}

function tagsOf({ cli, category, needs_consent: asks, demands, sandbox }) {
  const words = [cli, category].filter(Boolean).join(" · ");
  return [
    el("span", { class: "quiet" }, words),
    asks && !demands ? el("span", { class: "tag" }, "asks a person") : undefined,
    demands ? el("span", { class: "quiet" }, "Rule: ", el("code", {}, demands)) : undefined,
    sandbox ? el("span", { class: "quiet" }, "Sandbox: ", el("code", {}, sandbox)) : undefined,
  ];
}

function actionsOf(tool, { form, out, signal }) {
  const dry = el("button", { type: "submit" }, "Show what would be run");
  const kind = tool.effect === "destructive" ? "primary danger" : "primary";
  const run = el("button", { type: "button", class: kind }, "Run");
  const stop = el("button", { type: "button", hidden: true }, "Stop");
  const show = (...nodes) => {
    out.replaceChildren(...nodes);
    // On a narrow page, the result is below the form, where a person would not see it
    if (matchMedia("(max-width: 60rem)").matches) out.scrollIntoView();
  };
  let isBusy = false;
  // The focus would leave a disabled button, so the button is only marked as disabled
  const setBusy = (value) => {
    isBusy = value;
    for (const button of [run, dry]) button.setAttribute("aria-disabled", String(value));
  };
  const attempt = async (work) => {
    if (isBusy) return;
    try {
      const request = { tool: tool.name, args: form.read() };
      setBusy(true);
      await work(request);
    } catch (error) {
      show(problem(error));
      reveal(error.input);
    } finally {
      setBusy(false);
      dry.hidden = false;
      stop.hidden = true;
    }
  };
  const dryRun = () =>
    attempt(async (request) => show(...plan(await write("/api/dry-run", request))));
  const call = () =>
    attempt(async (request) => {
      const ending = new AbortController();
      dry.hidden = true;
      stop.hidden = false;
      stop.onclick = () => ending.abort();
      // Opening another view stops the call, like the button
      signal.addEventListener("abort", () => ending.abort());
      await followCall(request, show, ending.signal);
    });
  run.addEventListener("click", call);
  const onKey = (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    call();
  };
  const node = el(
    "div",
    { class: "actions" },
    run,
    dry,
    stop,
    el("span", { class: "keys" }, el("kbd", {}, "Ctrl"), " + ", el("kbd", {}, "Enter"), " runs"),
  );
  return { node, dryRun, onKey };
}

/** Moves the focus to the field of an error, and opens the disclosure around it. */
function reveal(input) {
  const folded = input?.closest("details");
  if (folded) folded.open = true;
  input?.focus();
}

/** Creates the elements of a dry run's answer: the command that would be run, or the reason of a refusal. */
function plan(answer) {
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
  // `line` is much shorter if a config always adds many words, perhaps hundreds: it then has their number instead
  const isWhole = command !== null && command.length < 2 * line.length;
  return [
    el("h2", {}, "It would run this; nothing was run"),
    isWhole ? copyable(command, { class: "command" }) : copyable(line, { whole: command ?? line }),
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

/** Creates a list of names with their values; a name without a value is left out. */
function facts(entries) {
  const given = entries.filter(([, value]) => value !== undefined && value !== "");
  return el(
    "dl",
    {},
    given.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]).flat(),
  );
}
