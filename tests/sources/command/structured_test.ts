/** Programs that print values, really run: what of them is shown, what is declared, what is hostile. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../../src/call/call.ts";
import { type CallResult, textOf } from "../../../src/tool/result.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { sessionOf, shellTool } from "../../_session.ts";
import { unix } from "../../_requirements.ts";

/** What a program that prints `printed` comes to. */
async function resultOf(
  printed: string | Uint8Array,
  tool: object,
  { script = "cat output", config = {}, settings = {} }: {
    script?: string;
    config?: object;
    settings?: object;
  } = {},
): Promise<CallResult> {
  await using dir = await scratch();
  const file = join(dir.path, "output");
  if (typeof printed === "string") await Deno.writeTextFile(file, printed);
  else await Deno.writeFile(file, printed);
  const tools = [{ name: "only", ...shellTool, working_dir: dir.path, ...tool }];
  await using session = await sessionOf({ ...config, tools }, settings);
  const { record: _, ...result } = await call(session, { tool: "only", args: { script } });
  return result;
}

const pods = JSON.stringify({
  kind: "List",
  items: [
    {
      metadata: { name: "web-1", labels: { app: "web" } },
      status: { phase: "Running", containers: [{ restarts: 0 }, { restarts: 4 }] },
    },
    { metadata: { name: "db 1" }, status: { phase: "Pending", containers: [] } },
  ],
});
const csv = 'name,status,note\nweb,up,"two\nlines"\ndb,down\n';
const lines = '{"a":1,"b":[1]}\n\n{"a":2,"__proto__":{"x":1}}\n';
const columns = {
  name: "$.metadata.name",
  phase: "$.status.phase",
  app: "$.metadata.labels.app",
  restarts: "$.status.containers[*].restarts",
};

const rows: readonly [
  what: string,
  printed: string,
  tool: object,
  text: string,
  structured: object | undefined,
][] = [
  ["JSON lines as a list", '{"a":1}\n\n[2]\n"x"\n', { output: "jsonl" }, '{"a":1}\n\n[2]\n"x"', {
    result: [{ a: 1 }, [2], "x"],
  }],
  [
    "a line that is no JSON",
    '{"a":1}\noops\n{}\n',
    { output: "jsonl" },
    '{"a":1}\noops\n{}\n\n[no structured result: line 2 of the output is not JSON: ' +
    "Unexpected token 'o', \"oops\" is not valid JSON]",
    undefined,
  ],
  ["CSV as records", csv, { output: "csv" }, csv.trim(), {
    result: [{ name: "web", status: "up", note: "two\nlines" }, { name: "db", status: "down" }],
  }],
  [
    "columns of CSV as a table",
    csv,
    { output: "csv", select: ["note", "name"] },
    'note\tname\n"two\\nlines"\tweb\n\tdb',
    { result: [{ note: "two\nlines", name: "web" }, { name: "db" }] },
  ],
  [
    "columns of JSON lines",
    lines,
    { output: "jsonl", select: ["a", "__proto__"] },
    'a\t__proto__\n1\t\n2\t{"x":1}',
    { result: [{ a: 1 }, JSON.parse('{"a":2,"__proto__":{"x":1}}')] },
  ],
  [
    "a path's values in lines",
    pods,
    { output: "json", select: "$.items[*].metadata.name" },
    "web-1\ndb 1",
    { result: ["web-1", "db 1"] },
  ],
  [
    "columns by their paths",
    pods,
    { output: "json", select: { items: "$.items[*]", columns } },
    "name\tphase\tapp\trestarts\nweb-1\tRunning\tweb\t[0,4]\ndb 1\tPending\t\t[]",
    {
      result: [
        { name: "web-1", phase: "Running", app: "web", restarts: [0, 4] },
        { name: "db 1", phase: "Pending", restarts: [] },
      ],
    },
  ],
  [
    "all of it without the blanks",
    '{\n  "a": [1,\n    2.50]\n}',
    { output: "json", select: "$" },
    '{"a":[1,2.5]}',
    { a: [1, 2.5] },
  ],
  [
    "that what was meant to be JSON is none",
    "oops",
    { output: "json", select: "$.a" },
    "oops\n\n[not selected: the output is not JSON: Unexpected token 'o', \"oops\" is not valid JSON]",
    undefined,
  ],
  [
    "that there is nothing",
    "",
    { output: "json", select: "$.a" },
    "(no output)\n\n[not selected: the output is empty]",
    undefined,
  ],
  [
    "numbers as they are",
    '[{"id":12345678901234567890,"far":1e400,"n":1}]',
    { output: "json", select: ["id", "far"] },
    "id\tfar\n12345678901234567890\t1e400",
    undefined,
  ],
  [
    "a fraction with more digits than are kept",
    '{"a":0.10000000000000001,"b":-2.5e-7}',
    { output: "json" },
    '{"a":0.10000000000000001,"b":-2.5e-7}',
    { a: 0.1, b: -2.5e-7 },
  ],
  [
    "no other number for one that is too far",
    '{"a":1e400}',
    { output: "json" },
    '{"a":1e400}',
    undefined,
  ],
  ["the last of two keys with one name", '{"a":1,"a":2}', { output: "json", select: "$.a" }, "2", {
    result: 2,
  }],
];

for (const [what, printed, tool, text, structured] of rows) {
  unix.test(`a call gives ${what}`, async () => {
    const result = await resultOf(printed, tool);
    assert.equal(textOf(result), text);
    assert.deepEqual(result.structured, structured);
    assert.equal(result.isError, false);
  });
}

const output_schema = {
  type: "object",
  properties: { result: { type: "array", items: { properties: { n: { type: "integer" } } } } },
  required: ["result"],
};
const succeeded = "; the call itself has succeeded: do not repeat it for this]";

const promises: readonly [what: string, printed: string, tool: object, text: string][] = [
  [
    "has another type",
    '[{"n":1},{"n":"x"}]',
    {},
    '[{"n":1},{"n":"x"}]\n\n[the result does not fit the tool\'s output_schema: ' +
    `at /result/1/n: must be integer${succeeded}`,
  ],
  [
    "is no JSON",
    "oops",
    {},
    "oops\n\n[the result does not fit the tool's output_schema: the output is not JSON: " +
    `Unexpected token 'o', "oops" is not valid JSON${succeeded}`,
  ],
  [
    "would lose a digit",
    '[{"n":12345678901234567890}]',
    {},
    '[{"n":12345678901234567890}]\n\n[the result does not fit the tool\'s output_schema: ' +
    `12345678901234567890 is not a number that JSON readers keep exactly${succeeded}`,
  ],
  [
    "is nothing that was selected",
    '{"a":1}',
    { select: "$.b" },
    "[no value: $.b selects nothing of the output, an object with a]\n\n" +
    `[the result does not fit the tool's output_schema: nothing was selected${succeeded}`,
  ],
];

for (const [what, printed, tool, text] of promises) {
  unix.test(`a result that ${what} is an error where a schema is declared, and still shown`, async () => {
    const result = await resultOf(printed, { output: "json", output_schema, ...tool });
    assert.equal(textOf(result), text);
    assert.equal(result.isError, true);
    assert.equal(result.structured, undefined);
  });
}

unix.test("a result that fits its schema is structured, and a failure is as it ever was", async () => {
  const tool = { output: "jsonl", output_schema };
  const fine = await resultOf('{"n":1}\n', tool);
  assert.deepEqual(fine, {
    content: [{ type: "text", text: '{"n":1}' }],
    structured: { result: [{ n: 1 }] },
    isError: false,
  });
  const script = "cat output; echo careful >&2; exit 3";
  const failed = await resultOf('{"n":1}\n', tool, { script });
  assert.equal(textOf(failed), '{"n":1}\n\n[stderr]\ncareful\n\n[exit code: 3]');
  const selected = await resultOf('{"n":1}\n', { ...tool, select: ["n"] }, { script });
  assert.equal(
    textOf(selected),
    '{"n":1}\n\n[stderr]\ncareful\n\n[exit code: 3]\n\n[not selected: the program has failed]',
  );
  assert.deepEqual([failed.isError, selected.isError], [true, true]);
});

unix.test("credentials in URLs are masked in what is selected, however they are written", async () => {
  const config = { mask: ["url_credentials"] };
  const json = '{"a":"https:\\/\\/me:secret@host\\/x","b":"\\u0068ttps://me:secret@host",' +
    '"https://me:secret@host":1,"c":["https://me:secret@host"]}';
  for (const tool of [{ output: "json" }, { output: "json", select: "$" }]) {
    const result = await resultOf(json, tool, { config });
    assert.equal(JSON.stringify(result.structured).includes("secret"), false);
    if ("select" in tool) assert.equal(textOf(result).includes("secret"), false);
  }
  // A cell is a cell: nothing is masked from one into the next
  const cells = "a,b\nhttps://host,me@x.org\nhttps://me:secret@host,x\n";
  const result = await resultOf(cells, { output: "csv", select: ["a", "b"] }, { config });
  assert.equal(textOf(result), "a\tb\nhttps://host\tme@x.org\nhttps://***@host\tx");
  assert.deepEqual(result.structured, {
    result: [{ a: "https://host", b: "me@x.org" }, { a: "https://***@host", b: "x" }],
  });
});

/** What is longer than `--max-output` keeps, up to what is kept of one output. */
const wall = JSON.stringify(
  Array.from({ length: 4000 }, (_, id) => ({ id, junk: "x".repeat(500) })),
);

unix.test("a select sees all of an output, also what is more than --max-output", async () => {
  assert.ok(wall.length > 2_000_000);
  const select = "$[?@.id > 3997].id";
  for (const settings of [{}, { calls: { keepBytes: 1024 } }]) {
    const result = await resultOf(wall, { output: "json", select }, { settings });
    assert.equal(textOf(result), "3998\n3999");
    assert.deepEqual(result.structured, { result: [3998, 3999] });
  }
  // Without one, values are those of what is shown
  const whole = await resultOf(wall, { output: "json" });
  assert.equal(whole.structured, undefined);
  assert.match(textOf(whole), /\[… [\d,]+ bytes omitted …\]|omitted/);
});

const hostile: readonly [
  what: string,
  printed: string | Uint8Array,
  output: string,
  text: RegExp,
][] = [
  ["lists in lists", "[".repeat(100_000) + "]".repeat(100_000), "json", /nested too deep\]$/],
  ["a list of millions", `[${"1,".repeat(2_000_000)}1]`, "json", /takes more than 2,000,000 steps/],
  ["a line of ten million characters", "x".repeat(10_000_000), "jsonl", /longer than what is kept/],
  ["bytes of no text", new Uint8Array(1000).fill(0xff), "csv", /is not text\]$/],
  ["NUL bytes", '{"a":"\0\0"}', "json", /^""$/],
  ["bytes that are no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), "json", /selects nothing/],
  ["cells without end", ",".repeat(200_000), "csv", /more than 1,000 columns\]$/],
  ["rows without end", "\n,".repeat(200_000), "csv", /omitted/],
  ["quotes without end", '"a'.repeat(1_000_000), "csv", /./],
];

for (const [what, printed, output, text] of hostile) {
  unix.test(`a call of a program that prints ${what} is answered`, async () => {
    const result = await resultOf(printed, { output, select: "$[*]", timeout: 60 });
    assert.match(textOf(result), text);
    assert.ok(textOf(result).length < 300_000);
    assert.ok(JSON.stringify(result.structured ?? {}).length < 1_000_000);
  });
}

unix.test("columns of many items are bounded together", async () => {
  const items = JSON.stringify(Array.from({ length: 1500 }, () => Array(900).fill(1)));
  const select = { items: "$[*]", columns: { all: "$[?count(@..*) >= 0]" } };
  const result = await resultOf(items, { output: "json", select });
  assert.match(textOf(result), /\[not selected: it takes more than 2,000,000 steps/);
});
