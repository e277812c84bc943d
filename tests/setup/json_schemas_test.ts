/** The JSON Schemas of our files: as they are printed, and by a validator that is not ours. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import { load } from "js-yaml";
import { jsonSchema } from "../../src/setup/json_schemas.ts";
import { schemaNames } from "../../src/setup/json_schemas.ts";
import { fixtureNames, fixturePath, root } from "../_fixtures.ts";
import { scratch } from "../e2e/_scratch.ts";
import { climax, ends } from "../cli/commands/_climax.ts";
import { linux } from "../_requirements.ts";

function validator(name: typeof schemaNames[number]) {
  const validate = new Ajv({ strict: false }).compile(jsonSchema(name));
  return (text: string) => validate(load(text)) ? [] : validate.errors!;
}

for (const name of schemaNames) {
  Deno.test(`schemas/${name}.schema.json is what the program reads by: deno task write`, async () => {
    const text = await Deno.readTextFile(join(root, "schemas", `${name}.schema.json`));
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(jsonSchema(name))));
    assert.equal((await climax(["schema", name])).stdout, text);
  });
}

Deno.test("the schema takes the configs that the program takes", async () => {
  const check = validator("config");
  const bundled = [...Deno.readDirSync(join(root, "configs"))].map(({ name }) => name)
    .filter((name) => name.endsWith(".yaml")).map((name) => join(root, "configs", name));
  const valid = fixtureNames("valid", ".yaml").map((name) => fixturePath("valid", name));
  assert.equal(bundled.length > 3 && valid.length > 5, true);
  for (const file of [...bundled, ...valid]) {
    assert.deepEqual(check(await Deno.readTextFile(file)), [], file);
  }
  for (const file of bundled) {
    const [line] = (await Deno.readTextFile(file)).split("\n");
    assert.equal(line, "# yaml-language-server: $schema=../schemas/config.schema.json", file);
  }
});

linux.test("a file of the person's names its schema, and one to be shared no folder of theirs", async () => {
  await using dir = await scratch();
  const settings = join(dir.path, "settings");
  const run = async (...args: string[]) => {
    const env = { XDG_CONFIG_HOME: settings, HOME: dir.path };
    return (await ends(climax(args, { cwd: dir.path, env }), { code: 0 })).stdout;
  };
  await run("new", "echo");
  const own = join(settings, "climax", "configs", "echo.yaml");
  const [line] = (await Deno.readTextFile(own)).split("\n");
  assert.equal(line, "# yaml-language-server: $schema=../schemas/config.schema.json");
  const schema = await Deno.readTextFile(join(dirname(own), line.split("=")[1]!));
  assert.deepEqual(JSON.parse(schema), JSON.parse(JSON.stringify(jsonSchema("config"))));
  await run("new", "other", "--project");
  await run("generate", "git", "--include", "status", "--depth", "1", "-o", "g.yaml");
  await run("policy", "init", "git", "-o", "p.yaml");
  await run("add", "a", "--yes", "--", "false", `--root=${join(dir.path, "data")}`);
  await run("validate", "other", "g.yaml", "--policy", "p.yaml");
  for (const file of [".climax/other.yaml", "g.yaml", "p.yaml", "climax.json"]) {
    const text = await Deno.readTextFile(join(dir.path, file));
    assert.doesNotMatch(text, /\$schema|llmProvider/, file);
    assert.equal(text.includes(dir.path) || text.includes(root), false, file);
  }
});
