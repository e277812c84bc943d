/**
 * Writes the files of the repository that are made from its sources: `deno task write [NAME…]`, with the names
 * `reference` (docs/reference.md), `schemas` (schemas/), `buttons` (in docs/install.md), `address` (the repository's, which
 * deno.json has) and `pictures` (docs/pictures/, from what the program prints). Without a name it writes all.
 */

import { addressPages, withRepository } from "./_repository.ts";

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
  async address() {
    for (const page of addressPages) {
      await Deno.writeTextFile(at(page), withRepository(await Deno.readTextFile(at(page))));
    }
  },
  async pictures() {
    const { pictures } = await import("./_pictures.ts");
    for (const [name, text] of await pictures()) {
      await Deno.writeTextFile(at(`docs/pictures/${name}`), text);
    }
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
