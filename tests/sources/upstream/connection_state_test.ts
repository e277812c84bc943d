/** The states of a connection by events and times alone. */

import assert from "node:assert/strict";
import {
  absenceText,
  type ConnectionEvent,
  type ConnectionState,
  initialState,
  nextState,
} from "../../../src/sources/upstream/connection_state.ts";

type Step = readonly [event: ConnectionEvent, at: number, phase: ConnectionState["phase"]];

const connect = { type: "connect" } as const;
const opened = { type: "opened" } as const;
const answered = { type: "answered" } as const;
const failed = { type: "failed", reason: "no" } as const;
const refused = { type: "refused", reason: "it wants a login" } as const;
const ended = { type: "ended", reason: "it ended with exit code 3" } as const;
const unknown = { type: "session unknown", reason: "404" } as const;
const close = { type: "close" } as const;

function run(steps: readonly Step[], from = initialState(false)): ConnectionState {
  return steps.reduce((state, [event, at, phase]) => {
    const next = nextState(state, event, at);
    assert.equal(next.phase, phase, `${event.type} at ${at}`);
    return next;
  }, from);
}

const lives: readonly (readonly [what: string, steps: readonly Step[]])[] = [
  ["is connected at once after the first failure", [
    [connect, 0, "connecting"],
    [failed, 10, "idle"],
    [connect, 10, "connecting"],
    [failed, 20, "paused"],
    [connect, 1019, "paused"],
    [connect, 1020, "connecting"],
    [opened, 1100, "connected"],
  ]],
  ["counts an end like a failure until it has answered", [
    [connect, 0, "connecting"],
    [opened, 1, "connected"],
    [ended, 2, "idle"],
    [connect, 3, "connecting"],
    [opened, 4, "connected"],
    [ended, 5, "paused"],
    [connect, 1005, "connecting"],
    [opened, 1006, "connected"],
    [answered, 1007, "connected"],
    [ended, 1008, "idle"],
  ]],
  ["is connected at once when its session is unknown", [
    [connect, 0, "connecting"],
    [opened, 1, "connected"],
    [answered, 2, "connected"],
    [unknown, 3, "idle"],
    [connect, 4, "connecting"],
    [opened, 5, "connected"],
    [unknown, 6, "idle"],
    [connect, 7, "connecting"],
    [opened, 8, "connected"],
    [unknown, 9, "paused"],
  ]],
  ["has not failed when it wants something else first", [
    [connect, 0, "connecting"],
    [refused, 1, "idle"],
    [connect, 2, "connecting"],
    [failed, 3, "idle"],
    [refused, 4, "idle"],
    [connect, 5, "connecting"],
    [opened, 6, "connected"],
    [refused, 7, "connected"],
  ]],
  ["stays closed", [
    [connect, 0, "connecting"],
    [close, 1, "closed"],
    [opened, 2, "closed"],
    [failed, 3, "closed"],
    [connect, 4, "closed"],
  ]],
  ["ignores what means nothing", [
    [opened, 0, "idle"],
    [answered, 0, "idle"],
    [ended, 0, "idle"],
    [unknown, 0, "idle"],
    [connect, 0, "connecting"],
    [connect, 1, "connecting"],
    [answered, 1, "connecting"],
    [opened, 2, "connected"],
    [connect, 3, "connected"],
  ]],
];

for (const [what, steps] of lives) {
  Deno.test(`nextState() has a server that ${what}`, () => void run(steps));
}

Deno.test("absenceText() says why, and when the server is tried again", () => {
  const first = run([[connect, 0, "connecting"]]);
  assert.equal(
    absenceText(first, 12_300, true),
    "is still starting (13 s); a first start can take minutes",
  );
  assert.equal(absenceText(first, 12_300, false), "is still connecting (13 s)");
  const later = run([[connect, 0, "connecting"]], initialState(true));
  assert.equal(absenceText(later, 2000, true), "is still connecting (2 s)");
  const others: readonly (readonly [ConnectionState, string])[] = [
    [initialState(false), "is not connected yet"],
    [nextState(first, refused, 0), "is not connected yet: it wants a login"],
    [nextState(first, opened, 0), "is connected and has not listed its tools yet"],
    [nextState(first, close, 0), "is not connected any more: climax is ending"],
  ];
  for (const [state, text] of others) assert.equal(absenceText(state, 0, true), text);
  const once = nextState(first, ended, 0);
  assert.equal(
    absenceText(once, 0, true),
    "cannot be connected, and is tried again at the next call: it ended with exit code 3",
  );
  const long = { ...ended, reason: `first \x1b[31m${"x".repeat(1000)}\nsecond` };
  const fits = { ...ended, reason: "x".repeat(300) };
  assert.ok(absenceText(nextState(first, fits, 0), 0, true).endsWith(`call: ${fits.reason}`));
  const twice = nextState(nextState(once, connect, 0), long, 0);
  assert.match(
    absenceText(twice, 500, true),
    /^failed 2 times and is tried again in 1 s: first x{294}…$/,
  );
});
