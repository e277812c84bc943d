import assert from "node:assert/strict";
import { Admission } from "../../src/server/receive.ts";

const call = { runs: true };
const list = { runs: false };

Deno.test("Admission has room up to its bytes, and again when requests are answered", () => {
  const admission = new Admission(100);
  assert.equal(admission.hasRoom(100), true);
  admission.accept(1, 60, call);
  assert.deepEqual([admission.hasRoom(40), admission.hasRoom(41)], [true, false]);
  assert.deepEqual([admission.has(1), admission.has("1")], [true, false]);
  admission.onAnswer(1);
  admission.onAnswer(1);
  assert.deepEqual([admission.has(1), admission.hasRoom(100)], [false, true]);
});

Deno.test("Admission holds a cancelled call until what it started has ended", () => {
  const admission = new Admission(100);
  admission.accept("call", 60, call);
  admission.accept("list", 40, list);
  admission.onCancel("list");
  admission.onCancel("call");
  admission.onCancel("call");
  admission.onCancel("never accepted");
  assert.deepEqual([admission.has("call"), admission.has("list")], [true, false]);
  assert.equal(admission.hasRoom(41), false);
  admission.finish("call");
  assert.equal(admission.hasRoom(100), true);
});

Deno.test("Admission does not take the end of a call for its answer", () => {
  const admission = new Admission(100);
  admission.accept("call", 60, call);
  admission.finish("call");
  assert.equal(admission.has("call"), true);
});

Deno.test("Admission settles when no answer is awaited", async () => {
  const admission = new Admission(100);
  await admission.whenSettled();
  admission.accept(1, 10, call);
  admission.accept(2, 10, call);
  let settled = false;
  const settling = admission.whenSettled().then(() => settled = true);
  admission.onAnswer(1);
  await Promise.resolve();
  assert.equal(settled, false);
  admission.onCancel(2);
  await settling;
  admission.finish(2);
  await admission.whenSettled();
});
