import assert from "node:assert/strict";
import { readDefinitions } from "../../../src/sources/upstream/definition.ts";
import { repairInput } from "../../../src/sources/upstream/repair_schema.ts";
import { servedPart } from "../../../src/sources/upstream/spec.ts";
import { argsOf, toolsOf } from "../../../src/sources/upstream/tools.ts";
import { odd, specOf } from "../../_upstream.ts";

const inputSchema = { type: "object" };

function serverOf(name: string, ...tools: object[]) {
  const { definitions } = readDefinitions(tools.map((tool) => ({ inputSchema, ...tool })));
  return { spec: specOf(odd(name), 10_000), description: "About it", definitions };
}

function namesOf(...servers: ReturnType<typeof serverOf>[]): string[] {
  return toolsOf(servers, new Set(["taken__one"])).map(({ name }) => name);
}

Deno.test("toolsOf() names tools SERVER__TOOL in characters that every client takes", () => {
  assert.deepEqual(namesOf(serverOf("a", { name: "read" }, { name: "x.y/z ü" })), [
    "a__read",
    "a__x_y_z__",
  ]);
});

Deno.test("servedPart() takes no exception for the name of a tool", () => {
  const listing = { definitions: ["read", "drop", "!drop", "!"].map((name) => ({ name })) };
  const spec = { ...specOf(odd("a")), tools: ["read", "!drop", "!"] };
  assert.deepEqual(servedPart(spec, listing).definitions, [{ name: "read" }]);
});

Deno.test("toolsOf() keeps names apart and within 64 characters", () => {
  const long = "t".repeat(100);
  const names = namesOf(
    serverOf("a", { name: "x.y" }, { name: "x_y" }, { name: long }, { name: `${long}.` }),
    serverOf("a__x", { name: "y" }),
    serverOf("taken", { name: "one" }),
  );
  assert.equal(new Set(names).size, names.length);
  assert.equal(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name)), true, names.join(" "));
  assert.deepEqual(namesOf(serverOf("a", { name: long.slice(0, 61) })), [
    `a__${long.slice(0, 61)}`,
  ]);
  // Who has the name as it is gets it, whoever came first
  assert.equal(names[1], "a__x_y");
  assert.match(names[0]!, /^a__x_y_[0-9a-f]{8}$/);
  assert.match(names.at(-1)!, /^taken__one_[0-9a-f]{8}$/);
});

Deno.test("toolsOf() writes out what would hide or reorder text, and keeps values", () => {
  const turned = "Reads\u202e sdaeR \u001b[2J\u200b caf\u00e9 \u{1f469}\u200d\u{1f4bb}";
  const shown = "Reads⟨U+202E⟩ sdaeR ⟨U+200B⟩ caf\u00e9 \u{1f469}\u200d\u{1f4bb}";
  const properties = { [turned]: { enum: [turned], description: turned } };
  const server = serverOf("a", {
    name: "read",
    title: turned,
    description: turned,
    inputSchema: { type: "object", properties },
    annotations: { title: turned },
  });
  const [tool] = toolsOf([{ ...server, description: turned }], new Set());
  assert.deepEqual(
    [tool!.description, tool!.title, tool!.annotations, tool!.owner.description],
    [shown, shown, { title: shown }, shown],
  );
  assert.deepEqual(tool!.input!["properties"], {
    [turned]: { enum: [turned], description: shown },
  });
});

Deno.test("repairInput() writes out labels at any depth, and keeps names and values", () => {
  const schemaOf = (text: string, kept = "a\u200b") => ({
    ...{ title: text, description: text, $comment: text, pattern: kept, const: kept },
    ...{ enum: [kept], default: kept, examples: [{ title: kept }], "title ": kept },
    properties: {
      title: {
        title: text,
        default: { title: kept },
        properties: { [kept]: { description: text } },
      },
      description: { title: text, default: kept },
      default: { title: text },
      properties: { title: text },
    },
    $defs: { title: { title: text } },
    anyOf: [{ title: text }, true],
  });
  assert.deepEqual(repairInput(schemaOf("a\u200b")), schemaOf("a⟨U+200B⟩"));
});

Deno.test("toolsOf() keeps what a server says of its tools", () => {
  const input = {
    type: "object",
    properties: { path: { type: "string", description: "Where" } },
    required: ["path"],
    additionalProperties: false,
  };
  const outputSchema = { type: "object", properties: { a: {} } };
  const icons = [{ src: "data:image/png;base64,AA==", mimeType: "image/png" }];
  const annotations = { readOnlyHint: true, openWorldHint: false };
  const [tool] = toolsOf([
    serverOf("a", {
      name: "read",
      title: "Read a file",
      description: "Reads",
      inputSchema: input,
      outputSchema,
      annotations,
      icons,
    }),
  ], new Set());
  assert.deepEqual(tool, {
    name: "a__read",
    description: "Reads",
    owner: { name: "a", description: "About it", tags: [], isServer: true },
    args: [{
      name: "path",
      description: "Where",
      type: "string",
      required: true,
      role: { kind: "json" },
    }],
    input,
    output: outputSchema,
    isOpen: false,
    effect: "read",
    annotations,
    title: "Read a file",
    examples: ["Read a file"],
    icons,
    timeoutMs: 10_000,
    source: { kind: "upstream", server: "a", tool: "read" },
  });
});

const effects: readonly (readonly [annotations: object | undefined, effect: string | undefined])[] =
  [
    [undefined, undefined],
    [{}, undefined],
    [{ readOnlyHint: true }, "read"],
    [{ readOnlyHint: true, destructiveHint: true }, "read"],
    [{ readOnlyHint: false }, undefined],
    [{ destructiveHint: false }, "write"],
    [{ readOnlyHint: false, destructiveHint: true }, "destructive"],
  ];

for (const [annotations, effect] of effects) {
  Deno.test(`toolsOf() reads the effect of ${JSON.stringify(annotations)}`, () => {
    const definition = { name: "x", ...(annotations === undefined ? {} : { annotations }) };
    assert.equal(toolsOf([serverOf("a", definition)], new Set())[0]!.effect, effect);
  });
}

Deno.test("argsOf() reads the top level of a schema, whatever it is", () => {
  const args = argsOf({
    type: "object",
    properties: {
      text: { type: "string", enum: ["a", "b"], default: "a" },
      odd: { type: "integer", default: "many", enum: ["x"] },
      mixed: { type: "integer", enum: [1, "x"] },
      none: { type: "string", enum: [null] },
      outside: { type: "string", enum: ["a"], default: "c" },
      nullable: { type: ["integer", "null"], default: null },
      optional: { anyOf: [{ type: "boolean" }, { type: "null" }] },
      either: { anyOf: [{ type: "string" }, { type: "integer" }] },
      list: { type: "array", items: {}, default: [1] },
      ref: { $ref: "#/$defs/n" },
      anything: true,
    },
    required: ["text", "nullable", "list", 5],
    $defs: { n: { type: "number", description: "A number" } },
  });
  const seen = args.map((arg) => [arg.name, arg.type, arg.required, arg.enum, arg.default]);
  assert.deepEqual(seen, [
    ["text", "string", false, ["a", "b"], "a"],
    ["odd", "integer", false, undefined, undefined],
    ["mixed", "integer", false, undefined, undefined],
    ["none", "string", false, undefined, undefined],
    ["outside", "string", false, ["a"], undefined],
    ["nullable", "integer", false, undefined, undefined],
    ["optional", "boolean", false, undefined, undefined],
    ["either", "json", false, undefined, undefined],
    ["list", "json", false, undefined, [1]],
    ["ref", "number", false, undefined, undefined],
    ["anything", "json", false, undefined, undefined],
  ]);
});

Deno.test("readDefinitions() leaves out what is no definition, and says so", () => {
  let deep: object = {};
  for (let level = 0; level < 20_000; level++) deep = { a: deep };
  const { definitions, warnings } = readDefinitions([
    { name: "good", inputSchema },
    { name: "good", inputSchema, description: "again" },
    { name: "", inputSchema },
    { name: "list", inputSchema: { type: "array" } },
    { name: "none", inputSchema: { type: "string" } },
    { name: 5, inputSchema },
    { name: "fat", inputSchema, description: "x".repeat(300_000) },
    { name: "deep", inputSchema: { ...deep, type: "array" } },
    null,
  ]);
  assert.deepEqual(definitions, [{ name: "good", inputSchema }]);
  assert.equal(warnings.length, 8, warnings.join("\n"));
  assert.equal(warnings[0], "tool 'good' is listed twice; the first is used");
  assert.match(
    warnings[2]!,
    /^tool 'list' is left out: inputSchema: 'type' must be 'object'/,
  );
  assert.match(
    warnings[5]!,
    /^tool 'fat' is left out: its definition has \d+ characters, expected at most/,
  );
});
