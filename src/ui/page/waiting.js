/** Calls of agents that wait for a yes, above every view; asked for every second. */

import { answerButton, answerRow } from "./answer.js";
import { read, write } from "./api.js";
import { announce, disclosure, el, plural, pre } from "./dom.js";

/** Shows the title of a view. */
export function setTitle(text) {
  document.title = text;
}

/** Milliseconds between two readings. */
const intervalMs = 1000;

const choices = [
  ["no", "No"],
  ["yes", "Yes, once"],
  ["session", "Yes, until its server or store ends"],
  ["always", "Yes, always"],
];

/** The answers of a call; those for more calls than this one say which. */
function choicesOf({ isOnce, scopes = [] }) {
  const wider = scopes.map(({ choice, words }) => [choice, `Yes to ${words}, until then`]);
  return isOnce ? choices.slice(0, 2) : choices.toSpliced(3, 0, ...wider);
}

/** Shows in `place` what waits, for as long as the page is open. */
export function followWaiting(place) {
  let shown = "";
  const look = async () => {
    if (!document.hidden) {
      const { waiting } = await read("/api/approvals").catch(() => ({ waiting: [] }));
      const now = waiting.map(({ id }) => id).join();
      // What a person is about to press stays where it is
      if (now !== shown) draw(place, waiting);
      shown = now;
    }
    setTimeout(look, intervalMs);
  };
  look();
}

function draw(place, waiting) {
  place.hidden = waiting.length === 0;
  if (waiting.length === 0) return place.replaceChildren();
  const title = `${plural(waiting.length, "call")} waiting for your yes`;
  announce(title);
  const known = new Map([...place.querySelectorAll("li")].map((item) => [item.dataset.id, item]));
  place.replaceChildren(
    el("h2", {}, title),
    el("ul", { class: "now" }, waiting.map((call) => known.get(call.id) ?? itemOf(call))),
  );
}

function wordsOf({ client, words, whole, since }) {
  const time = new Date(since).toLocaleTimeString("sv-SE");
  const [asked, ...rest] = words.split("\n");
  return [
    el("p", {}, el("strong", {}, client), `, since ${time}: `, el("span", {}, asked)),
    pre(rest.join("\n")),
    whole && disclosure("All of it", () => pre(whole)),
  ].filter(Boolean);
}

function itemOf(call) {
  const { id } = call;
  const problem = el("p", { class: "problem", role: "alert" });
  const answer = async (choice) => {
    try {
      await write("/api/approve", { id, choice });
      item.querySelectorAll("button").forEach((button) => button.disabled = true);
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  const buttons = choicesOf(call).map(([choice, text]) => {
    return answerButton(choice, text, () => answer(choice));
  });
  const item = el(
    "li",
    {},
    ...wordsOf(call),
    answerRow(buttons),
    problem,
  );
  item.dataset.id = id;
  return item;
}
