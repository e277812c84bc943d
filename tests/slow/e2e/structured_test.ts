/** Values that programs print, as clients of both eras get them in both modes. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { callerIn, clientsInModes } from "../../e2e/_clients.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { unix } from "../../_requirements.ts";

const config = `
name: values
command: cat
working_dir: DIR
effect: read
tools:
  - name: pods
    command: pods.json
    output: json
    select: { items: "$.items[*]", columns: { name: $.metadata.name, phase: $.status.phase } }
    output_schema:
      type: object
      properties:
        result:
          type: array
          items:
            type: object
            properties: { name: { type: string }, phase: { enum: [Running, Pending] } }
            required: [name, phase]
            additionalProperties: false
      required: [result]
  - name: wrong
    command: wrong.json
    output: json
    select: $.items[*]
    output_schema: { type: object, properties: { result: { items: { type: integer } } } }
  - { name: rows, command: rows.csv, output: csv, select: [name] }
  - { name: events, command: events.jsonl, output: jsonl }
`;

const items = Array.from({ length: 400 }, (_, at) => ({
  metadata: { name: `web-${at}`, annotations: { junk: "x".repeat(2000) } },
  status: { phase: at % 2 === 0 ? "Running" : "Pending" },
}));

async function place(): Promise<Scratch & { readonly config: string }> {
  const dir = await scratch();
  const files = {
    "pods.json": JSON.stringify({ kind: "List", items }, null, 4),
    "wrong.json": '{"items": [1, "two"]}',
    "rows.csv": 'name,note\r\nweb,"a\r\nb"\r\n=1+1,\r\n',
    "events.jsonl": '{"at":1}\n{"at":2}\n',
    "values.yaml": config.replace("DIR", dir.path),
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(dir.path, name), text);
  }
  return Object.assign(dir, { config: join(dir.path, "values.yaml") });
}

const names = items.map(({ metadata, status }) => ({ name: metadata.name, phase: status.phase }));

for (const [what, connectWith, mode] of clientsInModes) {
  unix.test(`${what}, ${mode}: values are selected, declared and kept`, async () => {
    await using dir = await place();
    const words = mode === "classic" ? ["--classic", dir.config] : [dir.config];
    await using client = await connectWith(words);
    const call = callerIn(mode, client);
    const tools = await client.list();
    if (mode === "classic") {
      const declared = tools.flatMap(({ name, outputSchema }) => outputSchema ? [name] : []);
      assert.deepEqual(declared.toSorted(), ["pods", "wrong"]);
    }

    // The client holds the structured result against the schema as well
    const pods = await call("pods");
    assert.deepEqual(pods.structured, { result: names });
    assert.equal(pods.isError, false);
    const [table, note, ...more] = pods.text.split("\n\n");
    assert.deepEqual(more, []);
    assert.equal(
      table,
      ["name\tphase", ...names.map(({ name, phase }) => `${name}\t${phase}`)].join("\n"),
    );
    const [, id] =
      /^\[selected from [\d,]+ bytes: output_json \{"id": "(k\w+)", "path": "\$\.items\[\*\]"\}\]$/
        .exec(note!)!;
    const all = await call("output_json", { id, path: "$.items[399].metadata.annotations.junk" });
    assert.equal(all.text, `"${"x".repeat(2000)}"\n[1 value]`);

    const wrong = await call("wrong");
    assert.equal(wrong.isError, true);
    assert.match(wrong.text, /^1\ntwo\n\n\[selected from 21 bytes: /);
    assert.deepEqual(wrong.beside, [
      "[the result does not fit the tool's output_schema: at /result/1: must be integer; " +
      "the call itself has succeeded: do not repeat it for this]",
    ]);
    assert.equal(wrong.structured, undefined);

    const rows = await call("rows");
    assert.match(
      rows.text,
      /^name\nweb\n=1\+1\n\n\[selected from \d+ bytes: output_read \{"id": "k\w+"\}\]$/,
    );
    assert.deepEqual(rows.structured, { result: [{ name: "web" }, { name: "=1+1" }] });
    assert.deepEqual(await call("events"), {
      text: '{"at":1}\n{"at":2}',
      isError: false,
      structured: { result: [{ at: 1 }, { at: 2 }] },
    });
  });
}
