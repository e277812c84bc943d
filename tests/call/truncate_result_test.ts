/** Results within the tokens they may cost. */

import assert from "node:assert/strict";
import { type TruncateOptions, truncateResult } from "../../src/call/truncate_result.ts";
import { classicSurface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import { sessionOf } from "../_session.ts";
import { unix } from "../_requirements.ts";
import { estimateTokens } from "../../src/text/tokens.ts";
import { type CallResult, textOf, textResult } from "../../src/tool/result.ts";

const lines = Array.from({ length: 2000 }, (_, at) => `line ${at + 1}`).join("\n");

async function bound(result: CallResult, options: Partial<TruncateOptions> = {}) {
  const kept: string[] = [];
  const bounded = await truncateResult(result, {
    maxTokens: 200,
    waiter: {},
    keep(text) {
      kept.push(typeof text === "string" ? text : text.read!());
      return {
        id: `k${kept.length}`,
        bytes: 1234,
        isCut: false,
        isSelectable: true,
        isSearchable: true,
      };
    },
    ...options,
  });
  return { bounded, kept, text: textOf(bounded) };
}

Deno.test("truncateResult() leaves what fits as it is", async () => {
  const result = { ...textResult("short"), structured: { a: 1 } };
  assert.deepEqual(await bound(result), { bounded: result, kept: [], text: "short" });
});

Deno.test("truncateResult() keeps both ends and says how to read on", async () => {
  const { text, kept, bounded } = await bound(textResult(lines, true));
  const [, missing, from] =
    /\n\[… ([\d,]+) lines, [\d,]+ bytes omitted: output_read \{"id": "k1", "from_line": (\d+)\}; output_search finds lines\]\n/
      .exec(text)!;
  const shown = text.split("\n");
  assert.equal(shown.findIndex((line) => line.startsWith("[…")), Number(from) - 1);
  assert.equal(Number(missing!.replaceAll(",", "")), 2000 - (shown.length - 1));
  assert.ok(text.startsWith("line 1\n") && text.endsWith("\nline 2000"));
  assert.deepEqual(kept, [lines]);
  assert.equal(bounded.isError, true);
  assert.ok(estimateTokens(text) < 250);
});

Deno.test("truncateResult() counts what the runner has truncated, and stores or discards it", async () => {
  let discarded = 0;
  const read = () => `${lines}\n${lines}`;
  const whole = { lines: 2000, bytes: lines.length, read, discard: () => discarded++ };
  const wholeOutputs = new Map([[0, whole]]);
  const { text, kept, bounded } = await bound({ ...textResult(lines), wholeOutputs });
  assert.deepEqual(kept, [`${lines}\n${lines}`]);
  assert.ok(Number(/… ([\d,]+) lines/.exec(text)![1]!.replaceAll(",", "")) > 3900);
  assert.equal("wholeOutputs" in bounded, false);
  const short = await bound({ ...textResult("cut"), wholeOutputs });
  assert.equal(short.text, 'cut\n\n[all of it: output_read {"id": "k1"}]');
  assert.equal(discarded, 0);
  assert.match(
    (await bound({ ...textResult(lines), wholeOutputs }, { keep: () => undefined })).text,
    /omitted\]/,
  );
  assert.equal(discarded, 1);
});

Deno.test("truncateResult() shares the bound among texts, short ones first", async () => {
  const texts = ["short", lines, lines].map((text) => ({ type: "text", text } as const));
  const { bounded, kept } = await bound({ content: texts, isError: false });
  assert.deepEqual(bounded.content[0], texts[0]);
  assert.equal(kept.length, 2);
  assert.ok(estimateTokens(textOf(bounded)) < 300);
  // What short ones cost is not given to the others, and four are the most that are cut one by one
  const link = { type: "resource_link", uri: `a:${"b".repeat(9000)}`, name: "b" } as const;
  // As many characters as tokens are allowed, and two tokens
  const blanks = { type: "text", text: " ".repeat(10) } as const;
  const middle = { type: "text", text: "\u8a9e\u8a9f".repeat(75) } as const;
  for (
    const [content, maxTokens, count] of [
      [[middle, texts[1]!, texts[2]!], 540, 3],
      [Array.from({ length: 4 }, () => texts[1]!), 200, 4],
      [Array.from({ length: 5 }, () => texts[1]!), 200, 1],
      [[texts[1]!, link], 200, 1],
      [Array.from({ length: 5 }, () => blanks), 10, 5],
    ] as const
  ) {
    const { bounded } = await bound({ content, isError: false }, { maxTokens });
    assert.equal(bounded.content.length, count);
    assert.ok(estimateTokens(textOf(bounded)) < maxTokens + 40 * count);
  }
});

Deno.test("truncateResult() leaves images alone, and cuts texts of resources", async () => {
  const image = { type: "image", data: "A".repeat(9000), mimeType: "image/png" } as const;
  const resource = { type: "resource", resource: { uri: "a:b", text: lines } } as const;
  const { bounded } = await bound({ content: [image, resource], isError: false });
  assert.equal(bounded.content[0], image);
  assert.match(textOf({ content: [bounded.content[1]!] }), /lines, .* omitted/);
});

Deno.test("truncateResult() makes one text of more texts than can be told apart", async () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
  const link = { type: "resource_link", uri: "a:b", name: "b" } as const;
  const texts = Array.from({ length: 500 }, (_, at) => {
    return { type: "text", text: `text ${at}\n`.repeat(100) } as const;
  });
  const { bounded, kept } = await bound({ content: [image, ...texts, link], isError: false });
  assert.deepEqual(bounded.content.map(({ type }) => type), ["text", "image"]);
  assert.deepEqual(kept, [textOf({ content: [...texts, link] })]);
  const text = textOf({ content: [bounded.content[0]!] });
  assert.match(
    text,
    /^text 0\n[^]*lines, [\d,]+ bytes omitted: output_read [^]*\[resource: a:b\]$/,
  );
});

Deno.test("truncateResult() shortens values for a client that knows their schema, or says why there are none", async () => {
  const long = "word ".repeat(2000);
  const items = Array.from({ length: 2000 }, (_, at) => ({ at, words: "a" }));
  const object = { type: "object" };
  const rows: readonly (readonly [structured: object, schema: object, isError: boolean])[] = [
    [{ content: long }, { ...object, required: ["content"] }, false],
    [{ content: long }, { ...object, $schema: "http://json-schema.org/draft-07/schema#" }, false],
    [{ items }, { ...object, properties: { items: { minItems: 1 } } }, false],
    [{ items }, { ...object, properties: { items: { minItems: 2000 } } }, true],
    [{ content: long }, { ...object, properties: { content: { pattern: "word $" } } }, true],
  ];
  for (const [structured, schema, isError] of rows) {
    const { bounded, text, kept } = await bound({
      ...textResult("see there"),
      structured: structured as Record<string, unknown>,
    }, { schema });
    assert.deepEqual([bounded.isError, bounded.structured === undefined], [isError, isError]);
    assert.ok(estimateTokens(JSON.stringify(bounded.structured ?? {})) <= 200);
    assert.deepEqual(kept, [JSON.stringify(structured)]);
    assert.match(text, isError ? /do not repeat it/ : /end early: output_json \{"id": "k1"/);
  }
});

unix.test("a structured result is left out, or shortened where a client was told its schema", async () => {
  const output = { output: "json", output_schema: { type: "object" } };
  const tools = [{ name: "long", command: `echo {"a":"${"b".repeat(2000)}"}`, ...output }];
  await using session = await sessionOf({ tools }, { calls: { maxResultTokens: 100 } });
  const found = await discoverySurface(session).call("climax_call", { tool_name: "long" }, {});
  assert.deepEqual([found.isError, found.structured], [false, undefined]);
  assert.match(
    textOf(found),
    /^\{"a":"b+[^]*\n\n\[structured result of 2,008 characters omitted.*\]$/,
  );
  // The official clients throw away a result that has neither values nor an error
  const called = await classicSurface(session).call("long", {}, {});
  assert.deepEqual([called.isError, typeof called.structured?.["a"]], [false, "string"]);
});

Deno.test("truncateResult() names no tool that may not be called", async () => {
  const keep = () => ({
    id: "k9",
    bytes: 12_345,
    isCut: false,
    isSelectable: false,
    isSearchable: false,
  });
  const source = { lines: 0, bytes: 0, isSource: true, path: "$.items[*]", discard: () => {} };
  const wholeOutputs = new Map([[0, { ...source, read: () => lines }]]);
  assert.equal(
    (await bound({ ...textResult("a"), wholeOutputs }, { keep })).text,
    'a\n\n[selected from 12,345 bytes: output_read {"id": "k9"}]',
  );
  const structured = { list: Array.from({ length: 2000 }, (_, at) => at) };
  const { text } = await bound({ ...textResult("a"), structured }, { keep });
  assert.match(text, /characters omitted: output_read \{"id": "k9"\}\]$/);
});

Deno.test("truncateResult() keeps what a text was selected from, and says how to read it", async () => {
  let discarded = 0;
  const source = {
    lines: 0,
    bytes: 0,
    read: () => "{}",
    discard: () => discarded++,
    isSource: true,
  };
  const result = {
    ...textResult("web"),
    wholeOutputs: new Map([[0, { ...source, path: "$.a[*]" }]]),
  };
  const { text, kept } = await bound(result);
  assert.equal(
    text,
    'web\n\n[selected from 1,234 bytes: output_json {"id": "k1", "path": "$.a[*]"}]',
  );
  assert.deepEqual([kept, discarded], [["{}"], 0]);
  const plain = await bound({ ...textResult("web"), wholeOutputs: new Map([[0, source]]) });
  assert.equal(plain.text, 'web\n\n[selected from 1,234 bytes: output_read {"id": "k1"}]');
  assert.equal((await bound(result, { keep: () => undefined })).text, "web");
  assert.equal(discarded, 1);
});

Deno.test("truncateResult() says how many lines an argument has left, and how to read the others", async () => {
  const whole = { lines: 9, bytes: 99, isShown: false, read: () => "all", discard: () => {} };
  const next = { words: "2 of 11 lines", next: 3 };
  const rest = '[2 of 11 lines; the rest: output_read {"id": "k1", "from_line": 3}]';
  for (
    const [text, more, wanted] of [
      ["a\nb", { extent: next }, `a\nb\n\n${rest}`],
      ["a\nb", { extent: next, isSource: true }, `a\nb\n\n${rest}`],
      [
        "a\nb",
        { extent: { ...next, next: 1 }, isSource: true },
        'a\nb\n\n[2 of 11 lines; all: output_read {"id": "k1", "from_line": 1}]',
      ],
      [lines, { extent: next }, `line 2000\n\n${rest}`],
    ] as const
  ) {
    const wholeOutputs = new Map([[0, { ...whole, ...more }]]);
    const { text: shown } = await bound({ ...textResult(text), wholeOutputs });
    assert.ok(shown.endsWith(wanted), shown);
    const unkept = await bound({ ...textResult("a"), wholeOutputs }, { keep: () => undefined });
    assert.equal(unkept.text, "a\n\n[2 of 11 lines]");
  }
});

Deno.test("truncateResult() says what is omitted where nothing is stored", async () => {
  const { text } = await bound(textResult(lines), { keep: () => undefined });
  assert.match(text, /\n\[… [\d,]+ lines, [\d,]+ bytes omitted\]\n/);
});

Deno.test("truncateResult() leaves out a structured result that costs too much", async () => {
  const structured = { list: Array.from({ length: 2000 }, (_, at) => at) };
  const { bounded, text, kept } = await bound({ ...textResult("see there"), structured });
  assert.equal(bounded.structured, undefined);
  assert.equal(bounded.isError, false);
  assert.deepEqual(kept, [JSON.stringify(structured)]);
  assert.match(
    text,
    /\[structured result of [\d,]+ characters omitted: output_json \{"id": "k1", "path": "\$"\}\]/,
  );
});

Deno.test("truncateResult() counts what each character costs, as a text and as a structure", async () => {
  // Fewer characters than tokens are allowed, and two tokens each
  const text = "\u13a0\u13a1".repeat(80);
  const { bounded } = await bound({ ...textResult(text), structured: { text } });
  assert.match(textOf(bounded), /bytes omitted/);
  assert.equal(bounded.structured, undefined);
});
