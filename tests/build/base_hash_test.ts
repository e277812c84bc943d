/** The base of a binary: it is what Deno published, and the bill of materials says so. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { denoVersion } from "../../build/_facts.ts";
import { baseFileOf, checksumIn } from "../../build/base_hash.ts";
import { scratch } from "../e2e/_scratch.ts";
import { root } from "../e2e/_server.ts";
import { run } from "./_build.ts";

const zip = new TextEncoder().encode("a base");
const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", zip)).toHex();

/** A folder of Deno's with a base for `target`, and a page of releases with `checksum` beside it. */
async function compareBase(checksum: string, env: Record<string, string> = {}, target = "a-b-c") {
  await using dir = await scratch();
  const file = `v${denoVersion}/denort-a-b-c.zip`;
  await Deno.mkdir(join(dir.path, "dl", "release", `v${denoVersion}`), { recursive: true });
  await Deno.writeFile(join(dir.path, "dl", "release", file), zip);
  await using page = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const isThere = new URL(request.url).pathname === `/${file}.sha256sum`;
    return isThere ? new Response(checksum) : new Response("Not Found", { status: 404 });
  });
  const own = ["--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-net"];
  const words = ["run", ...own, join("build", "base_hash.ts"), target, "--output", dir.path];
  const from = ["--from", `http://127.0.0.1:${page.addr.port}`];
  const ran = await run([Deno.execPath(), ...words, ...from], {
    cwd: root,
    env: { DENO_DIR: dir.path, DENORT_BIN: "", ...env },
  });
  const written = Deno.readTextFile(join(dir.path, baseFileOf(target))).catch(() => undefined);
  return { ...ran, base: await written };
}

Deno.test("build/base_hash.ts records a base that is what Deno published", async () => {
  const { code, stderr, base } = await compareBase(`${sha256}  denort-a-b-c.zip\n`);
  assert.equal(code, 0, stderr);
  const { checksum, ...rest } = JSON.parse(base!);
  assert.deepEqual(rest, { file: "denort-a-b-c.zip", version: denoVersion, sha256 });
  assert.match(checksum, /denort-a-b-c\.zip\.sha256sum$/);
});

const otherBases: [what: string, args: Parameters<typeof compareBase>, said: RegExp][] = [
  ["another base", ["ab".repeat(32)], /is not what Deno published: .* expected abab/],
  ["no checksum", ["none"], /has no checksum: status 200/],
  [
    "no download",
    [sha256, {}, "no-such"],
    /denort-no-such\.zip is not there: build the binary first/,
  ],
  ["another base in DENORT_BIN", [sha256, { DENORT_BIN: "denort" }], /^DENORT_BIN is set, /],
];

for (const [what, args, said] of otherBases) {
  Deno.test(`build/base_hash.ts with ${what} says so, fails and records nothing`, async () => {
    const { code, stderr, base } = await compareBase(...args);
    assert.deepEqual([code, base], [1, undefined], stderr);
    assert.match(stderr, said);
  });
}

Deno.test("checksumIn() reads what shasum and Get-FileHash print", () => {
  const printed = [
    `${sha256}  denort.zip\n`,
    `\r\nAlgorithm : SHA256\r\nHash      : ${sha256.toUpperCase()}\r\n`,
  ];
  for (const text of printed) assert.equal(checksumIn(text), sha256);
  assert.equal(checksumIn("Not Found"), undefined);
});
