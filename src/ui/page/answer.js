/** Creates the buttons that answer a question. The safe answer comes first, and answers for later calls stand below. */

import { el } from "./dom.js";

/** A yes can be pressed only after this many milliseconds: a person may be about to click where the button appears. */
const guardMs = 500;

/** Creates a button for `choice`: `no`, `yes` for one call, `always`, or another choice for some later calls. */
export function answerButton(choice, text, onclick) {
  const kind = { no: "no", yes: "primary", always: "always" }[choice] ?? "wider";
  const button = el("button", {
    type: "button",
    class: kind,
    "aria-disabled": choice !== "no" && "true",
    onclick: () => button.ariaDisabled !== "true" && onclick(),
  }, text);
  setTimeout(() => button.removeAttribute("aria-disabled"), guardMs);
  return button;
}

/** Creates the rows of buttons: answers for one call, and below them the answers that later calls get too. */
export function answerRow(buttons) {
  const isWider = ({ className }) => className === "wider" || className === "always";
  const wider = buttons.filter(isWider);
  return el(
    "div",
    { class: "answers", role: "group", "aria-label": "Your answer" },
    buttons.filter((button) => !isWider(button)),
    wider.length === 0 ? undefined : el(
      "div",
      { class: "later", role: "group", "aria-label": "For later calls, too" },
      el("span", { class: "quiet", "aria-hidden": "true" }, "For later calls, too"),
      wider,
    ),
  );
}
