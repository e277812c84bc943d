/** What a start knows of servers from the last time, and for how long. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ListingCache } from "../../../src/sources/upstream/listing.ts";
import { unix } from "../../_requirements.ts";
import { scratch } from "../../e2e/_scratch.ts";

const transport = { kind: "stdio", command: "x", args: [], env: {} } as const;
const listing = {
  definitions: [{ name: "a", inputSchema: { type: "object" as const } }],
  warnings: ["one"],
  description: "About",
  prior: { kind: "legacy" } as const,
};
const dayMs = 24 * 60 * 60_000;

/** Changes what the only file with the ending `ending` in `folder` says. */
async function rewrite(folder: string, ending: string, change: (text: string) => string) {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const [{ name }] = entries.filter(({ name }) => name.endsWith(ending)) as [Deno.DirEntry];
  await Deno.writeTextFile(join(folder, name), change(await Deno.readTextFile(join(folder, name))));
}

Deno.test("ListingCache has the last listing, and the detected protocol for a week", async () => {
  await using dir = await scratch();
  const cache = new ListingCache(dir.path);
  const folder = join(dir.path, "servers");
  assert.equal(await cache.read(transport), undefined);
  await cache.write(transport, listing);
  const { features: _, ...read } = (await cache.read(transport))!;
  assert.deepEqual(read, listing);
  assert.equal(await cache.read({ ...transport, args: ["other"] }), undefined);
  for (const [days, prior] of [[6.9, listing.prior], [7.1, undefined]] as const) {
    const saved = new Date(Date.now() - days * dayMs).toISOString();
    await rewrite(folder, ".json", (text) => JSON.stringify({ ...JSON.parse(text), saved }));
    assert.deepEqual((await cache.read(transport))!.prior, prior);
  }
  await rewrite(folder, ".json", () => "{");
  assert.equal(await cache.read(transport), undefined);
});

unix.test("ListingCache keeps its files to this person, and at most 200", async () => {
  await using dir = await scratch();
  const cache = new ListingCache(dir.path);
  const folder = join(dir.path, "servers");
  for (let count = 0; count <= 200; count++) {
    await cache.write({ ...transport, args: [`${count}`] }, listing);
  }
  const modeOf = async (path: string) => (await Deno.stat(path)).mode! & 0o777;
  assert.equal(await modeOf(folder), 0o700);
  const entries = await Array.fromAsync(Deno.readDir(folder));
  assert.equal(entries.length, 200);
  for (const { name } of entries) assert.equal(await modeOf(join(folder, name)), 0o600);
});
