/** One tool: its description, a form to call it, the plan, and the result. */

import { read, stream, write } from "./api.js";
import { announce, el, escapeInvisible, problem } from "./dom.js";
import { formOf } from "./form.js";

/** Lines of progress that are kept. */
const mostLines = 200;

export async function showTool(place, { name, signal }) {
  const tool = await read("/api/tool", { name });
  const form = formOf(tool.input_schema);
  const out = el("section", { "aria-label": "Result" });
  const dry = el("button", { type: "submit" }, "Show what would be run");
  const run = el("button", { type: "button", class: "primary" }, "Run it");
  const stop = el("button", { type: "button", disabled: true }, "Stop");

  const attempt = async (work) => {
    try {
      const request = { tool: tool.name, args: form.read() };
      dry.disabled = run.disabled = true;
      await work(request);
    } catch (error) {
      out.replaceChildren(
        ...(error.name === "AbortError" ? [el("p", {}, "Stopped")] : [problem(error)]),
      );
    } finally {
      dry.disabled = run.disabled = false;
      stop.disabled = true;
    }
  };
  const onDry = (event) => {
    event.preventDefault();
    attempt(async (request) => out.replaceChildren(...plan(await write("/api/dry-run", request))));
  };
  run.addEventListener("click", () => {
    attempt(async (request) => {
      const ending = new AbortController();
      stop.disabled = false;
      stop.onclick = () => ending.abort();
      // Leaving the view ends the wait for its call
      signal.addEventListener("abort", () => ending.abort());
      await follow(request, out, ending.signal);
    });
  });
  place.append(
    el("p", {}, el("a", { href: "#/tools" }, "← Tools")),
    el("h1", {}, tool.name),
    tool.title ? el("p", { class: "text" }, tool.title) : "",
    el("p", { class: "text" }, tool.description),
    el("p", {}, facts(tool).flatMap((text) => [el("span", { class: "tag" }, text), " "])),
    tool.demands ? el("p", {}, "The policy demands: ", el("code", {}, tool.demands)) : "",
    el(
      "form",
      { onsubmit: onDry, "aria-label": "Arguments", autocomplete: "off" },
      el("h2", {}, "Arguments"),
      el("p", { class: "quiet" }, "Empty fields are not sent"),
      form.node,
      el("div", { class: "row" }, dry, run, stop),
    ),
    out,
    el(
      "details",
      {},
      el("summary", {}, "The schema an agent gets"),
      el("pre", { tabindex: "0" }, JSON.stringify(tool.input_schema, null, 2)),
    ),
  );
}

function facts({ cli, category, effect, needs_consent: asks }) {
  return [cli, category, effect ?? "effect not known", asks ? "asks a person" : ""].filter(Boolean);
}

function plan({ ok, text, line, plan, rule, needs_consent: asks }) {
  if (!ok) {
    announce("It would be refused");
    return [
      el("h2", { class: "bad" }, "It would be refused"),
      el("p", {}, "Decided by ", el("code", {}, rule)),
      el("pre", { tabindex: "0" }, text),
    ];
  }
  announce("It would be run");
  return [
    el("h2", {}, "It would run this; nothing was run"),
    el("pre", { tabindex: "0" }, line),
    el("p", {}, "Allowed by ", el("code", {}, rule), asks ? ", once a person agrees" : ""),
    el(
      "details",
      {},
      el("summary", {}, "All details"),
      el("pre", { tabindex: "0" }, JSON.stringify(plan, null, 2)),
    ),
  ];
}

async function follow(request, out, signal) {
  const lines = [];
  const live = el("pre", { role: "log", "aria-label": "Live output", tabindex: "0" }, "…");
  const heading = el("h2", {}, "Running");
  out.replaceChildren(heading, live);
  announce("Running");
  for await (const news of stream("/api/call", request, signal)) {
    if (news.progress) {
      const { progress, total, message } = news.progress;
      const done = total === undefined ? `${progress}` : `${progress} of ${total}`;
      lines.push(message === undefined ? done : message);
      lines.splice(0, lines.length - mostLines);
      live.textContent = escapeInvisible(lines.join("\n"));
      live.scrollTop = live.scrollHeight;
    } else if (news.ask) {
      await ask(news.ask, signal);
    } else if (news.result) {
      out.replaceChildren(...result(news.result));
      return;
    }
  }
  throw new Error("The response was truncated");
}

function result({ isError, text, left, record, structured }) {
  const words = isError ? "Failed" : "Done";
  announce(words);
  return [
    el("h2", { class: isError ? "bad" : "good" }, words),
    record
      ? el(
        "p",
        { class: "quiet" },
        Object.entries(record).map(([key, value]) => `${key}: ${value}`).join(", "),
      )
      : undefined,
    text === "" ? el("p", {}, "No output") : el("pre", { tabindex: "0" }, text),
    left > 0
      ? el("p", {}, `${left.toLocaleString("en-US")} more characters are not shown here`)
      : undefined,
    structured
      ? el(
        "details",
        {},
        el("summary", {}, "Structured"),
        el("pre", { tabindex: "0" }, structured.text),
      )
      : undefined,
  ].filter((each) => each !== undefined);
}

/** Asks the person a question; only the button that says yes is a yes. */
function ask({ id, message, requestedSchema }, signal) {
  const { promise, resolve } = Promise.withResolvers();
  const names = Object.entries(requestedSchema.properties ?? {});
  const yes = names.length === 1 && names[0][1]?.type === "boolean" ? names[0][0] : undefined;
  const form = yes === undefined ? formOf(requestedSchema, "answer") : undefined;
  const wrong = el("p", { class: "problem", role: "alert" });
  const answer = async (action, content) => {
    dialog.close();
    dialog.remove();
    await write("/api/answer", { id, action, content }).catch(() => {});
    resolve();
  };
  const accept = () => {
    try {
      answer("accept", form === undefined ? { [yes]: true } : form.read());
    } catch (error) {
      wrong.textContent = error.message;
    }
  };
  const dialog = el(
    "dialog",
    {
      "aria-labelledby": "ask-title",
      "aria-describedby": "ask-text",
      oncancel: (event) => (event.preventDefault(), answer("cancel")),
    },
    el("h2", { id: "ask-title" }, form === undefined ? "Run it?" : "Question"),
    el("pre", { id: "ask-text", tabindex: "0" }, message),
    form?.node,
    wrong,
    el(
      "div",
      { class: "row" },
      el("button", { type: "button", autofocus: true, onclick: () => answer("decline") }, "No"),
      el(
        "button",
        { type: "button", onclick: accept },
        form === undefined ? "Yes, run exactly this" : "Answer",
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  signal.addEventListener("abort", () => {
    dialog.remove();
    resolve();
  });
  return promise;
}
