/** The libraries that a bundle carries packed are those that the program imports, and they work. */

import assert from "node:assert/strict";
import { fileURLToPath, pathToFileURL } from "node:url";
import { packedModules, packedNames } from "../../build/_packed_modules.ts";
import { scratch } from "../e2e/_scratch.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What stands between the braces of an import or of a destructured `await import()`. */
const imports = /(?:import (type )?\{([^}]*)\} from|\{([^{}]*)\} = await import\()\s*"([^"]+)"/g;

async function bundle(entry: string, output: string): Promise<void> {
  const args = ["bundle", "--quiet", "--minify", "--config", "deno.json", "--output", output];
  const { success } = await new Deno.Command(Deno.execPath(), { args: [...args, entry], cwd: root })
    .output();
  assert.ok(success);
}

async function* sources(directory: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    if (isDirectory) yield* sources(path);
    else if (name.endsWith(".ts")) yield await Deno.readTextFile(path);
  }
}

Deno.test("packedNames has exactly what the program imports of those libraries", async () => {
  const used = new Set<string>();
  for await (const text of sources(`${root}/src`)) {
    for (const [, type, names, lateNames, id] of text.matchAll(imports)) {
      if (type !== undefined || !(id! in packedNames)) continue;
      for (const name of (names ?? lateNames!).split(",").map((name) => name.trim())) {
        if (name !== "" && !name.startsWith("type ")) used.add(`${id} ${name}`);
      }
    }
  }
  const packed = Object.entries(packedNames).flatMap(([id, names]) => {
    return names.map((name) => `${id} ${name}`);
  });
  assert.deepEqual([...used].toSorted(), packed.toSorted());
});

Deno.test("packedModules() makes modules that have the names of the libraries", async () => {
  await using dir = await scratch();
  const places = await packedModules(dir.path, bundle);
  assert.deepEqual(Object.keys(places), Object.keys(packedNames));
  for (const [id, place] of Object.entries(places)) {
    const module: Record<string, unknown> = await import(place);
    for (const name of packedNames[id]!) assert.notEqual(module[name], undefined, `${id} ${name}`);
    assert.equal(place.startsWith(pathToFileURL(dir.path).href), true);
  }
  const { generateText } = await import(places["ai"]!);
  await assert.rejects(generateText({ model: undefined, prompt: "x" }));
});
