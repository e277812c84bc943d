/** Asks the person a question; only the button that says yes is a yes. */

import { write } from "./api.js";
import { el, pre } from "./dom.js";
import { formOf } from "./form.js";

/** Shows the question; resolves when it is answered, or `signal` aborts. */
export function ask({ id, message, requestedSchema }, signal) {
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
    pre(message, { id: "ask-text" }),
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
