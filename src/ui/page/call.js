/** Makes one call, and shows its live output, its questions and its result. */

import { stream, write } from "./api.js";
import { answerButton, answerRow } from "./answer.js";
import { announce, count, disclosure, duration, el, escapeInvisible, pre } from "./dom.js";
import { formOf } from "./form.js";
import { output } from "./output.js";

/** At most this many lines of a call's progress are kept. */
const mostLines = 200;

/** Makes a call, and passes the elements for its state to `show` until the call has ended. */
export async function followCall(request, show, signal) {
  const lines = [];
  const live = pre("…", { role: "log", "aria-label": "Live output" });
  const heading = el("h2", { class: "running" }, "Running");
  show(heading, live);
  announce("Running");
  const startedAt = performance.now();
  let isAsking = false;
  let answered;
  const clock = setInterval(() => {
    if (isAsking) return;
    heading.textContent = `Running, ${count(Math.floor((performance.now() - startedAt) / 1000))} s`;
  }, 1000);
  try {
    for await (const event of stream("/api/call", request, signal)) {
      if (event.progress) {
        lines.push(progressText(event.progress));
        lines.splice(0, lines.length - mostLines);
        live.textContent = escapeInvisible(lines.join("\n"));
        live.scrollTop = live.scrollHeight;
      } else if (event.ask) {
        isAsking = true;
        heading.textContent = "Waiting for your answer";
        heading.className = "running asking";
        answered = await ask(event.ask, signal);
        isAsking = false;
        heading.className = "running";
      } else if (event.result) {
        show(...resultOf(event.result, {
          tool: request.tool,
          tookMs: performance.now() - startedAt,
          answered,
        }));
        return;
      }
    }
  } catch (error) {
    if (error.name !== "AbortError") throw error;
    // The output that arrived before the stop stays visible
    heading.className = "";
    announce(heading.textContent = "Stopped");
    return;
  } finally {
    clearInterval(clock);
  }
  throw new Error("The response was truncated");
}

function progressText({ progress, total, message }) {
  if (message !== undefined) return message;
  return total === undefined ? count(progress) : `${count(progress)} of ${count(total)}`;
}

/** Titles for calls that the person has refused, which must not look like a refusal by the policy. */
const refusals = { decline: "Not run: you said no", cancel: "Not run: you closed the question" };

function resultOf(
  { isError, text, left, record, structured },
  { tool, tookMs, answered },
) {
  const own = refusals[answered];
  // A refused call has no record, because nothing was run
  if (isError && record === undefined && own !== undefined) {
    announce(own);
    return [el("h2", {}, own)];
  }
  const isStopped = record?.ending === "cancelled";
  const failure = record === undefined ? "Refused" : isStopped ? "Stopped" : "Failed";
  const title = isError ? failure : "Done";
  announce(title);
  return [
    el(
      "div",
      { class: "line" },
      el("h2", { class: isStopped ? "" : isError ? "bad" : "good" }, title),
      el("span", { class: "quiet" }, recordWords(record ?? {}, tookMs)),
    ),
    text === ""
      ? el("p", { class: "quiet" }, "No output")
      : output(text, { name: `${tool}.txt`, isError }),
    left > 0
      ? el("p", {}, `${count(left)} more characters are neither shown nor saved`)
      : undefined,
    structured
      ? disclosure("Structured content", () => output(structured.text, { name: `${tool}.json` }))
      : undefined,
  ].filter((each) => each !== undefined);
}

/** Returns one line about a call: its end, duration and sizes, and the other entries of its record by name. */
function recordWords(record, tookMs) {
  const { ending, exit_code: code, stdout_bytes: out, stderr_bytes: err, ...others } = record;
  return [
    code === undefined ? ending : `exit code ${code}`,
    duration(tookMs),
    out === undefined ? undefined : `${count(out)} bytes`,
    err ? `${count(err)} bytes of errors` : undefined,
    ...Object.entries(others).map(([key, value]) => `${key.replaceAll("_", " ")}: ${value}`),
  ].filter(Boolean).join(" · ");
}

/** Shows a question in a dialog; resolves with the answer, or when `signal` aborts. With `run`, a yes runs a call. */
function ask({ id, message, requestedSchema, run }, signal) {
  const { promise, resolve } = Promise.withResolvers();
  const { properties = {}, required = Object.keys(properties) } = requestedSchema;
  const isYesOrNo = required.length === 1 && properties[required[0]]?.type === "boolean";
  const yes = isYesOrNo ? required[0] : undefined;
  const form = yes === undefined ? formOf(requestedSchema, { idPrefix: "answer" }) : undefined;
  const wrong = el("p", { class: "problem", role: "alert" });
  const answer = async (action, content) => {
    dialog.close();
    dialog.remove();
    await write("/api/answer", { id, action, content }).catch(() => {});
    resolve(action);
  };
  const accept = () => {
    try {
      answer("accept", form === undefined ? { [yes]: true } : form.read());
    } catch (error) {
      wrong.textContent = error.message;
    }
  };
  const no = answerButton("no", "No", () => answer("decline"));
  no.autofocus = true;
  const dialog = el(
    "dialog",
    {
      "aria-labelledby": "ask-title",
      "aria-describedby": "ask-text",
      oncancel: (event) => (event.preventDefault(), answer("cancel")),
    },
    el("h2", { id: "ask-title" }, run ? "You are about to run" : "Question"),
    pre(message, { id: "ask-text" }),
    form?.node,
    wrong,
    answerRow([
      no,
      answerButton("yes", form === undefined ? "Yes, run exactly this" : "Answer", accept),
    ]),
  );
  document.body.append(dialog);
  dialog.showModal();
  signal.addEventListener("abort", () => {
    dialog.remove();
    resolve();
  });
  return promise;
}
