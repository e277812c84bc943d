/** Parts of results: what an agent gets of an answer, and how it reads the whole. */

import assert from "node:assert/strict";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { join } from "node:path";
import { call } from "../../src/call/call.ts";
import { Outputs } from "../../src/jobs/outputs.ts";
import { scratch } from "../e2e/_scratch.ts";
import { sessionOf } from "../_session.ts";
import { selectResult } from "../../src/call/selected_result.ts";
import { type SelectFile, selectOf } from "../../src/files/select_file.ts";
import { type CallResult, textOf } from "../../src/tool/result.ts";
import { fixturePath } from "../_fixtures.ts";

const text = (words: string) => ({ type: "text", text: words }) as const;
const people = [{ name: "Ada", age: 36, tags: [] }, { name: "Tim", age: 7, tags: [] }];
const table = "name\tage\nAda\t36\nTim\t7";
const columns = { items: "$.people[*]", columns: ["name", "age"] };

async function selected(result: Partial<CallResult>, select: SelectFile): Promise<CallResult> {
  return await selectResult({ content: [], isError: false, ...result }, selectOf(select), {});
}

Deno.test("selectResult() takes the structured content, and text and structure agree", async () => {
  const structured = { people };
  const { content, structuredJson, wholeOutputs, ...rest } = await selected({
    content: [text(JSON.stringify(structured, null, 2)), text("a second text of the same")],
    structured,
  }, columns);
  assert.deepEqual(content, [text(table)]);
  assert.deepEqual(JSON.parse(structuredJson!), {
    result: people.map(({ name, age }) => ({ name, age })),
  });
  assert.equal("structured" in rest, false);
  const whole = wholeOutputs!.get(0)!;
  assert.deepEqual([whole.isSource, whole.path], [true, "$.people[*]"]);
  assert.deepEqual(JSON.parse(whole.read!()), structured);
});

Deno.test("selectResult() reads the whole of a text that is cut", async () => {
  const whole = JSON.stringify({ people });
  let discarded = 0;
  const full = { lines: 0, bytes: 9, read: () => whole, discard: () => void discarded++ };
  const cut = { content: [text('{"people": [… omitted …')], wholeOutputs: new Map([[0, full]]) };
  assert.deepEqual((await selected(cut, columns)).content, [text(table)]);
  assert.equal(discarded, 1);
  const { read: _, ...gone } = full;
  const left = await selected({ ...cut, wholeOutputs: new Map([[0, gone]]) }, columns);
  assert.equal(
    textOf(left),
    '{"people": [… omitted …\n\n[not selected: the output is longer than what is kept of one]',
  );
});

Deno.test("a policy selects from what a program prints, also after its config has", async () => {
  await using dir = await scratch();
  const policy = join(dir.path, "policy.yaml");
  await Deno.writeTextFile(
    policy,
    "default: enabled\ntools: { plain: { select: $.b }, own: { select: '$.result[*].c' } }\n",
  );
  const tools = [
    { name: "plain", description: "Prints", command: 'printf {"a":1,"b":[2,3]}' },
    {
      name: "own",
      description: "Prints",
      command: 'printf {"list":[{"c":1,"d":2},{"c":3,"d":4}]}',
      output: "json",
      select: "$.list[*]",
    },
  ];
  const outputs = new Outputs();
  await using session = await sessionOf({ tools }, { policy, outputs });
  const plain = await call(session, { tool: "plain" });
  assert.match(textOf(plain), /^2\n3\n\n\[selected from 17 bytes: output_json /);
  assert.deepEqual(plain.structured, { result: [2, 3] });
  const own = textOf(await call(session, { tool: "own" }));
  const [, id] = /^1\n3\n\n\[selected from 38 bytes: output_json \{"id": "([^"]+)"/.exec(own)!;
  assert.match(textOf(await call(session, { tool: "output_read", args: { id } })), /"d":4\}\]\}/);
  outputs.close();
});

const unselected: readonly (readonly [what: string, result: Partial<CallResult>, note: RegExp])[] =
  [
    ["is no JSON", { content: [text("No people")] }, /^No people\n\n\[not selected: .*JSON/],
    ["has no text", { content: [] }, /^\[not selected: the result has no text\]$/],
  ];

for (const [what, result, note] of unselected) {
  Deno.test(`selectResult() leaves a result that ${what}, and says so`, async () => {
    assert.match(textOf(await selected(result, columns)), note);
  });
}

Deno.test("selectResult() says when a path fits nothing, and the whole can be read", async () => {
  const result = await selected({ content: [text(JSON.stringify({ people }))] }, "$.nobody[*]");
  assert.match(textOf(result), /^\[no value: /);
  assert.notEqual(result.wholeOutputs?.get(0)?.read, undefined);
  const column = await selected({ structured: { people } }, { ...columns, columns: ["nme"] });
  assert.match(
    textOf(column),
    /\[no value: no item of the output has nme; columns are name, age, tags\]/,
  );
});

Deno.test("selectResult() keeps the whole only where a part was taken", async () => {
  const result = { content: [text(JSON.stringify(people))] };
  assert.equal((await selected(result, "$")).wholeOutputs, undefined);
  assert.equal((await selected(result, { columns: ["name"] })).wholeOutputs?.get(0)?.path, "$");
});

/** What public servers answered here, each with a select that a person would write. */
interface RecordedAnswer {
  readonly select: SelectFile;
  readonly answer: Pick<CallResult, "content"> & {
    readonly structuredContent?: CallResult["structured"];
  };
}

Deno.test("selectResult() has a fifth of the tokens of recorded answers at most, by their median", async () => {
  const files = [...Deno.readDirSync(fixturePath("answers"))];
  const shares = await Promise.all(files.map(async ({ name }) => {
    const text = await Deno.readTextFile(fixturePath("answers", name));
    const { select, answer } = JSON.parse(text) as RecordedAnswer;
    const { content, structuredContent } = answer;
    const structured = structuredContent === undefined ? {} : { structured: structuredContent };
    const result = await selected({ content, ...structured }, select);
    assert.doesNotMatch(textOf(result), /\[(?:not selected|no value|no item)/, name);
    assert.notEqual(result.structuredJson, undefined, name);
    return encode(textOf(result)).length / encode(textOf({ content })).length;
  }));
  const sorted = shares.toSorted((one, other) => one - other);
  assert.equal(sorted.length, 10);
  const median = (sorted[4]! + sorted[5]!) / 2;
  assert.equal(median <= 0.2, true, sorted.map((share) => share.toFixed(3)).join(" "));
});
