import assert from "node:assert/strict";
import { CallQueue, type Ticket } from "../../src/call/call_queue.ts";
import { FakeClock, settle as settled } from "../_clock.ts";

type Access = Parameters<Ticket["turn"]>[0];

const kinds: Readonly<Record<string, Access>> = { Y: "answered", Z: "answered" };

/** Calls that say when they have their turn, by a letter each; a capital one writes, `Y` and `Z` with an answer. */
function calls(letters: string, queue = CallQueue.ofClient(), count?: (at: number) => number) {
  const log: string[] = [];
  const tickets: Record<string, Ticket> = {};
  const all = [...letters];
  all.forEach((letter, at) => tickets[letter] = queue.enter(count?.(at)));
  const ask = (letter: string, signal?: AbortSignal) => {
    const access: Access = kinds[letter] ?? (letter === letter.toUpperCase() ? "writes" : "reads");
    const turn = tickets[letter]!.turn(access, signal);
    void Promise.resolve(turn).then((refused) => {
      const [why] = refused?.replace("Call not made: ", "").split("\n") ?? [];
      log.push(why === undefined ? letter : `${letter}: ${why}`);
    });
  };
  const settle = async () => {
    await settled();
    return log.splice(0).sort().join(", ");
  };
  return { ask, tickets, settle };
}

Deno.test("CallQueue lets reads run together, and a write alone, in the order of arrival", async () => {
  const { ask, tickets, settle } = calls("abCdE");
  // They say what they do in another order than that in which they arrived
  for (const letter of "EdCb") ask(letter);
  assert.equal(await settle(), "");
  ask("a");
  assert.equal(await settle(), "a, b");
  tickets["a"]!.leave();
  assert.equal(await settle(), "");
  tickets["b"]!.leave();
  assert.equal(await settle(), "C");
  tickets["C"]!.leave();
  assert.equal(await settle(), "d");
  tickets["d"]!.leave();
  assert.equal(await settle(), "E");
});

Deno.test("CallQueue refuses writes behind a call that goes on, and no reads", async () => {
  const { ask, tickets, settle } = calls("AbCD");
  for (const letter of "AbC") ask(letter);
  tickets["A"]!.leave(["unfinished", "A waits for a person"]);
  assert.equal(await settle(), "A, C: A waits for a person, b");
  assert.equal(tickets["b"]!.passes(), "A waits for a person");
  assert.equal(tickets["C"]!.passes(), undefined);
  ask("D");
  assert.equal(await settle(), "D: A waits for a person");
});

for (const kind of ["unfinished", "failed"] as const) {
  Deno.test(`CallQueue gives calls with an answer one turn each behind one that is ${kind}`, async () => {
    const clock = new FakeClock();
    const { ask, tickets, settle } = calls("ABYZ", new CallQueue(45_000, clock));
    for (const letter of "ABY") ask(letter);
    void tickets["A"]!.leave([kind, "A"]);
    await clock.advance(25);
    assert.equal(await settle(), "A, B: A, Y");
    ask("Z");
    assert.equal(await settle(), "");
    tickets["Y"]!.leave();
    assert.equal(await settle(), "Z");
  });
}

Deno.test("CallQueue refuses writes sent together with one that failed, and none sent later", async () => {
  const clock = new FakeClock();
  const queue = new CallQueue(undefined, clock);
  const { ask, tickets, settle } = calls("ABcD", queue);
  await clock.advance(101);
  const later = calls("E", queue);
  for (const letter of "ABcD") ask(letter);
  later.ask("E");
  tickets["A"]!.leave();
  assert.equal(await settle(), "A, B");
  void tickets["B"]!.leave(["failed", "B failed"]);
  await clock.advance(1);
  assert.equal(await settle(), "D: B failed, c");
  tickets["c"]!.leave();
  assert.equal(await later.settle(), "E");
  void later.tickets["E"]!.leave(["failed", "E failed"]);
  await clock.advance(25);
  // The answer was sent before this call
  const next = calls("F", queue);
  next.ask("F");
  assert.equal(await next.settle(), "F");
});

Deno.test("CallQueue lets counts decide only about calls that are sent together", async () => {
  const clock = new FakeClock();
  const queue = new CallQueue(undefined, clock);
  const first = calls("AB", queue, (at) => 1000 + at);
  for (const letter of "AB") first.ask(letter);
  await clock.advance(101);
  const { ask, settle } = calls("C", queue, () => 1);
  ask("C");
  assert.equal(await first.settle(), "A");
  first.tickets["A"]!.leave();
  assert.equal(await first.settle(), "B");
  assert.equal(await settle(), "");
});

Deno.test("CallQueue refuses writes beside a call that others have waited for, and lets reads pass", async () => {
  const clock = new FakeClock();
  const queue = new CallQueue(45_000, clock);
  const { ask, tickets, settle } = calls("ABcD", queue);
  for (const letter of "ABcD") ask(letter);
  assert.equal(await settle(), "A");
  await clock.advance(45_000);
  const why = "a call before it has not ended in 45 s";
  assert.equal(await settle(), `B: ${why}, D: ${why}, c`);
  tickets["c"]!.leave();
  const beside = calls("Ef", queue);
  for (const letter of "Ef") beside.ask(letter);
  assert.equal(await beside.settle(), `E: ${why}, f`);
  tickets["A"]!.leave();
  beside.tickets["f"]!.leave();
  const after = calls("G", queue);
  after.ask("G");
  assert.equal(await after.settle(), "G");
});

Deno.test("CallQueue has no call hold up others for ever", async () => {
  const clock = new FakeClock();
  const queue = new CallQueue(45_000, clock);
  // `x` never says what it does
  const { ask, tickets, settle } = calls("AxBc", queue);
  for (const letter of "ABc") ask(letter);
  assert.equal(await settle(), "A");
  await clock.advance(45_000);
  assert.equal(
    await settle(),
    "B: a call before it has not ended in 45 s, c",
  );
  assert.match(tickets["c"]!.passes() ?? "", /^a call before it has not ended/);
  for (const letter of "Axc") tickets[letter]!.leave();
  assert.ok(queue.isEmpty);
  const later = calls("D", queue);
  later.ask("D");
  assert.equal(await later.settle(), "D");
});

Deno.test("CallQueue has the client's count decide about calls that arrive in one turn", async () => {
  const { ask, tickets, settle } = calls("CBA", undefined, (at) => 3 - at);
  for (const letter of "CBA") ask(letter);
  assert.equal(await settle(), "A");
  tickets["A"]!.leave();
  assert.equal(await settle(), "B");
});

Deno.test("CallQueue ends the wait of a call that is cancelled", async () => {
  const { ask, tickets, settle } = calls("ABC");
  const cancel = new AbortController();
  ask("A");
  ask("B", cancel.signal);
  ask("C");
  cancel.abort();
  assert.equal(await settle(), "A, B: Call cancelled while it waited for those before it");
  tickets["A"]!.leave();
  assert.equal(await settle(), "C");
});
