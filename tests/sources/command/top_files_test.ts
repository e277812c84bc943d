import assert from "node:assert/strict";
import { join } from "node:path";
import { topFiles } from "../../../src/sources/command/_outside.ts";
import { scratch } from "../../e2e/_scratch.ts";

Deno.test("topFiles() tells a changed file of any number, and of any size", async () => {
  await using dir = await scratch();
  const path = (name: string) => join(dir.path, name);
  for (let at = 0; at < 1100; at++) await Deno.writeTextFile(path(`0${at}`), "");
  await Deno.writeTextFile(path("large"), "x".repeat(2 ** 20 + 1));
  await Deno.writeTextFile(path("Makefile"), "one");
  const seen = [await topFiles(dir.path)];
  assert.equal(await topFiles(dir.path), seen[0]);
  for (const [name, text] of [["Makefile", "two"], ["large", "y".repeat(2 ** 20)], ["new", ""]]) {
    await Deno.writeTextFile(path(name!), text!);
    seen.push(await topFiles(dir.path));
  }
  assert.equal(new Set(seen).size, 4);
});
