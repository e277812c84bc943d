/** Shows, above every view, the calls of agents that wait for a person's yes, and reads them again each second. */

import { answerButton, answerRow } from "./answer.js";
import { read, write } from "./api.js";
import { announce, disclosure, el, escapeInvisible, plural, pre } from "./dom.js";

let title = document.title;
let waitingCalls = 0;

/** Sets the title of the page, with the number of waiting calls in front. */
export function setTitle(text) {
  title = text;
  document.title = waitingCalls === 0 ? title : `(${waitingCalls}) ${title}`;
  const icon = document.querySelector("link[rel=icon]");
  icon.setAttribute("href", waitingCalls === 0 ? "/icon.svg" : "/icon-waiting.svg");
}

/** The waiting calls are read again after this many milliseconds. */
const intervalMs = 1000;

const choices = [
  ["no", "No"],
  ["yes", "Yes, once"],
  ["session", "Yes, until its server or store ends"],
  ["always", "Yes, always"],
];

/** Returns the possible answers to a call. An answer that also allows later calls has a text that says which. */
function choicesOf({ isOnce, scopes = [] }) {
  const wider = scopes.map(({ choice, words }) => [choice, `Yes to ${words}, until then`]);
  return isOnce ? choices.slice(0, 2) : choices.toSpliced(3, 0, ...wider);
}

export function followWaiting(place) {
  let shown = [];
  const look = async () => {
    const { waiting } = await read("/api/approvals").catch(() => ({ waiting: [] }));
    const now = waiting.map(({ id }) => id);
    // Unchanged calls are not drawn again, so that a button stays where a person is about to press it
    if (now.join() !== shown.join()) {
      waitingCalls = waiting.length;
      setTitle(title);
      draw(place, waiting);
      try {
        notify(waiting.filter(({ id }) => !shown.includes(id)));
      } catch {
        // Some browsers have `Notification` but throw an error when a page creates one
      }
    }
    shown = now;
    setTimeout(look, intervalMs);
  };
  look();
}

/** Shows notifications of calls while the page is in the background, if the person has allowed them. */
function notify(calls) {
  if (!document.hidden || globalThis.Notification?.permission !== "granted") return;
  for (const { id, client, words } of calls) {
    const [asked] = words.split("\n");
    const note = new Notification(`${escapeInvisible(client)} asks`, {
      body: escapeInvisible(asked),
      tag: id,
      icon: "/icon-waiting.svg",
    });
    note.addEventListener("click", () => (globalThis.focus(), note.close()));
  }
}

/** Creates the button that asks for notifications; `undefined` if a person has decided, or none are possible. */
function notifyButton() {
  if (globalThis.Notification?.permission !== "default") return undefined;
  const button = el("button", { type: "button", class: "small" }, "Notify me of the next");
  button.addEventListener("click", async () => {
    const answer = await Notification.requestPermission();
    announce(answer === "granted" ? "You will be notified" : "The browser allows no notifications");
    button.remove();
  });
  return button;
}

function draw(place, waiting) {
  place.hidden = waiting.length === 0;
  if (waiting.length === 0) return place.replaceChildren();
  const heading = `${plural(waiting.length, "call")} waiting for your yes`;
  announce(heading);
  const known = new Map([...place.querySelectorAll("li")].map((item) => [item.dataset.id, item]));
  place.replaceChildren(
    el("div", { class: "line" }, el("h2", {}, heading), notifyButton()),
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
