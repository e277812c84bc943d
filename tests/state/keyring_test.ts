import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { ClimaxError } from "../../src/errors.ts";
import { resetLog, setLogFile } from "../../src/log.ts";
import { Keyring } from "../../src/state/keyring.ts";
import { FakeClock } from "../_clock.ts";
import { unixTest } from "../_requirements.ts";
import { scratch } from "../e2e/_scratch.ts";
import { keyFile, randomKey } from "./_key_file.ts";

function problemOf(path: string): string {
  try {
    new Keyring(path);
  } catch (error) {
    if (error instanceof ClimaxError) return error.problems[0]!.message;
    throw error;
  }
  return "";
}

Deno.test("a keyring derives a key for each purpose, and has both of its keys", async () => {
  await using folder = await scratch();
  const [old, next] = [randomKey(), randomKey()];
  const path = keyFile(folder.path, [old]);
  const clock = new FakeClock();
  const keyring = new Keyring(path, clock);
  const key = keyring.first;
  assert.notDeepEqual(key.derive("a"), key.derive("b"));
  keyFile(folder.path, ["# both, while they are replaced", next, old]);
  await clock.advance(999);
  assert.deepEqual(keyring.names, [key.name]);
  await clock.advance(1);
  assert.equal(keyring.names.length, 2);
  assert.notEqual(keyring.first.name, key.name);
  assert.deepEqual(keyring.get(key.name)!.derive("a"), key.derive("a"));
  // A file that is being written does not end what runs, and is told of once
  const log = `${folder.path}/log`;
  setLogFile(log);
  Deno.writeTextFileSync(path, "");
  await clock.advance(1000);
  assert.notEqual(keyring.get(key.name), undefined);
  await clock.advance(1000);
  assert.equal(keyring.names.length, 2);
  resetLog();
  const said = Deno.readTextFileSync(log);
  assert.equal(said.match(/The signing keys stay as they were: .*no key/g)?.length, 1);
  keyFile(folder.path, [next]);
  await clock.advance(1000);
  assert.equal(keyring.get(key.name), undefined);
});

const invalid: readonly (readonly [what: string, lines: readonly string[], problem: RegExp])[] = [
  ["an empty file", [], /^This file has no key$/],
  ["a short key", ["c2hvcnQ="], /^A key must be 32 random bytes or more in base64$/],
  ["a key of 31 bytes", [Buffer.alloc(31).toString("base64")], /^A key must be 32 random bytes/],
  ["a password", ["a very long password with more than 32 letters"], /^A key must be 32/],
  ["three keys", [randomKey(), randomKey(), randomKey()], /^This file must have 2 keys at most: /],
];

for (const [what, lines, problem] of invalid) {
  Deno.test(`a keyring refuses ${what}`, async () => {
    await using folder = await scratch();
    assert.match(problemOf(keyFile(folder.path, lines)), problem);
  });
}

Deno.test("a keyring takes keys of 32 bytes, in lines that may have comments, and names a wrong line", async () => {
  await using folder = await scratch();
  const key = Buffer.alloc(32).toString("base64");
  assert.equal(problemOf(keyFile(folder.path, ["", `${key} # the first`])), "");
  const path = keyFile(folder.path, ["# two", key, "short"]);
  assert.throws(() => new Keyring(path), (error) => {
    return error instanceof ClimaxError && error.problems[0]!.line === 3;
  });
});

unixTest("a keyring refuses a file that others can read, or the group write", async () => {
  await using folder = await scratch();
  const path = keyFile(folder.path);
  for (const mode of [0o644, 0o602, 0o620]) {
    Deno.chmodSync(path, mode);
    assert.equal(problemOf(path), "Other users can read or change this file", mode.toString(8));
  }
  Deno.chmodSync(path, 0o440);
  assert.equal(problemOf(path), "");
  assert.match(
    problemOf(`${folder.path}/missing`),
    /^File of signing keys cannot be read: No such/,
  );
});
