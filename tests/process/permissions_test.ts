/** What serving gives up, proved from inside a process that was given it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../e2e/_scratch.ts";

/** Tries what `dropPermissions()` gives up, and what it keeps. */
const program = `
import { dropPermissions } from ${
  JSON.stringify(new URL("../../src/process/permissions.ts", import.meta.url).href)
};
const open = Deno.openSync("open.txt", { write: true, create: true });
let asked = 0;
const attempts = {
  net: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
  fetch: () => fetch("http://127.0.0.1:65535/"),
  write: () => Deno.writeTextFileSync("made.txt", ""),
  remove: () => Deno.removeSync("open.txt"),
  ffi: () => Deno.dlopen("./none.so", {}),
  sys: () => Deno.osRelease(),
  // Another each time, since what became of one is kept
  import: () => import(["https://deno.land", "x", "none" + asked++ + ".ts"].join("/")),
  read: () => Deno.readTextFileSync("ask.ts").length,
  env: () => Deno.env.get("PATH")?.length,
  run: () => new Deno.Command(Deno.execPath(), { args: ["--version"] }).outputSync().success,
  open: () => open.writeSync(new Uint8Array(1)),
};
const tryAll = async () => {
  const found = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      found[name] = "done";
    } catch (error) {
      found[name] = error instanceof Deno.errors.NotCapable ||
        /Requires import access/.test(error.message) ? "denied" : "failed";
    }
  }
  return found;
};
const names = ["net", "write", "ffi", "sys", "import"];
const states = () => names.map((name) => Deno.permissions.querySync({ name }).state);
const before = { found: await tryAll(), states: states() };
Deno.writeTextFileSync("open.txt", "");
dropPermissions();
console.log(JSON.stringify({ before, after: { found: await tryAll(), states: states() } }));
`;

async function outcomeUnder(flags: readonly string[]) {
  await using dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "ask.ts"), program);
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", "--quiet", ...flags, "ask.ts"],
    cwd: dir.path,
  }).output();
  assert.notEqual(stdout.length, 0, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

const given = ["net", "fetch", "write", "remove", "ffi", "sys", "import"];

Deno.test("dropPermissions() takes net, write, ffi, sys and import from a process that had all", async () => {
  const { before, after } = await outcomeUnder(["--allow-all"]);
  assert.deepEqual(before.states, Array(5).fill("granted"));
  assert.deepEqual(Object.values(before.found).includes("denied"), false);
  assert.deepEqual(after.states.includes("granted"), false);
  for (const name of given) assert.equal(after.found[name], "denied", name);
  for (const name of ["read", "env", "run", "open"]) assert.equal(after.found[name], "done", name);
});

Deno.test("dropPermissions() also takes what was granted in part", async () => {
  const { before, after } = await outcomeUnder([
    ...["--allow-read", "--allow-env", "--allow-run", "--allow-write=open.txt,made.txt"],
    ...["--allow-net=127.0.0.1", "--allow-sys=osRelease", "--allow-import=deno.land"],
    ...["--allow-ffi=./none.so"],
  ]);
  for (const name of given) assert.notEqual(before.found[name], "denied", name);
  for (const name of given) assert.equal(after.found[name], "denied", name);
});
