/** What strangers are asked: forms that GitHub takes, and commands that print what is asked for. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { load } from "js-yaml";
import { climax } from "../cli/commands/_climax.ts";
import { root } from "../_fixtures.ts";

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly value?: string };
}

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
}

const folder = join(root, ".github", "ISSUE_TEMPLATE");
const forms = [...Deno.readDirSync(folder)].map(({ name }) => name)
  .filter((name) => name !== "config.yml");

for (const name of forms) {
  Deno.test(`${name} is a form that GitHub takes`, async () => {
    const form = load(await Deno.readTextFile(join(folder, name))) as Form;
    assert.deepEqual([typeof form.name, typeof form.description], ["string", "string"]);
    const fields = form.body.filter(({ type }) => type !== "markdown");
    assert.notEqual(fields.length, 0);
    const ids = fields.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const { type, id, attributes } of fields) {
      assert.match(type, /^(?:textarea|input|dropdown|checkboxes)$/);
      assert.match(id!, /^[\w-]+$/);
      assert.equal(typeof attributes.label, "string");
    }
    for (const { type, attributes } of form.body) {
      if (type === "markdown") assert.equal(typeof attributes.value, "string");
    }
  });
}

Deno.test("bug.yml asks for commands that print it", async () => {
  const text = await Deno.readTextFile(join(folder, "bug.yml"));
  const commands = [...text.matchAll(/`climax ([^`]+)`/g)].map(([, words]) => words!.split(" "));
  assert.deepEqual(commands, [["version"], ["doctor", "--json"]]);
  assert.match((await climax(["version"])).stdout, /^climax \d/);
  const { stdout } = await climax(["doctor", "git", "--json"]);
  assert.equal(Array.isArray(JSON.parse(stdout)), true);
});
