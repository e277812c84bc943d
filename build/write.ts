/**
 * Writes the files of the repository that are made from its sources: `deno task write [NAME…]`, with the names
 * `reference` (docs/reference.md), `schemas` (schemas/), `buttons` (in docs/install.md) and `pictures` (docs/pictures/
 * and the steps of the README, from what the program prints). Without a name it writes all.
 */

const writers: Readonly<Record<string, () => Promise<void>>> = {
  async reference() {
    const { referencePage } = await import("./_reference.ts");
    await Deno.writeTextFile(at("docs/reference.md"), referencePage());
  },
  async schemas() {
    const { jsonSchema } = await import("../src/setup/json_schemas.ts");
    const { schemaNames } = await import("../src/setup/json_schemas.ts");
    for (const name of schemaNames) {
      const text = `${JSON.stringify(jsonSchema(name), null, 2)}\n`;
      await Deno.writeTextFile(at(`schemas/${name}.schema.json`), text);
    }
  },
  async buttons() {
    const { withButtons } = await import("./_buttons.ts");
    const page = at("docs/install.md");
    await Deno.writeTextFile(page, withButtons(await Deno.readTextFile(page)));
  },
  async pictures() {
    const { pictures, withSteps } = await import("./_pictures.ts");
    for (const [name, text] of await pictures()) {
      await Deno.writeTextFile(at(`docs/pictures/${name}`), text);
    }
    const readme = at("README.md");
    await Deno.writeTextFile(readme, await withSteps(await Deno.readTextFile(readme)));
  },
};

function at(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

const names = Deno.args.length > 0 ? Deno.args : Object.keys(writers);
const unknown = names.find((name) => !Object.hasOwn(writers, name));
if (unknown !== undefined) {
  throw new Error(`'${unknown}' is not written: expected ${Object.keys(writers).join(", ")}`);
}
for (const name of names) await writers[name]!();
