import assert from "node:assert/strict";
import { UsageError } from "../../src/errors.ts";
import { readStateAddress } from "../../src/state/address.ts";
import { join } from "node:path";
import { resetLog, setLogFile } from "../../src/log.ts";
import { scratch } from "../e2e/_scratch.ts";
import { withVariables } from "../_io.ts";

const valid: readonly (readonly [text: string, address: Record<string, unknown>])[] = [
  ["valkey://host", { host: "host", port: 6379, database: 0, isTls: false }],
  ["redis://host:80/3", { host: "host", port: 80, database: 3, isTls: false }],
  ["rediss://[::1]:7000", { host: "::1", port: 7000, database: 0, isTls: true }],
  ["valkeys://h/?ca=ca.pem", {
    host: "h",
    port: 6379,
    database: 0,
    isTls: true,
    authority: "ca.pem",
  }],
];

for (const [text, expected] of valid) {
  Deno.test(`readStateAddress() reads ${text}`, () => {
    const { shown: _, ...address } = readStateAddress(text);
    assert.deepEqual(address, expected);
  });
}

const invalid = [
  ["", "must be the address of a Valkey or Redis"],
  ["http://user:secret@host", "must be the address of a Valkey or Redis"],
  ["valkey://:secret@", "must be the address of a Valkey or Redis"],
  ["valkey:///0", "must name a host"],
  ["valkey://host/secret", "must end with the number of a database, or the port"],
  ["valkey://host?tls=1", "must have no parameter but 'ca': found 'tls'"],
  ["valkey://host?ca=x", "must begin with valkeys:// for 'ca'"],
  ["valkey://:$UNSET@host", "refers to $UNSET, which is not set, or empty"],
] as const;

for (const [text, message] of invalid) {
  Deno.test(`readStateAddress() refuses ${text || "nothing"}`, () => {
    const expected = (error: unknown) => {
      return error instanceof UsageError && error.message === `--state ${message}`;
    };
    assert.throws(() => readStateAddress(text), expected);
  });
}

Deno.test("readStateAddress() takes the user and the password from variables", () => {
  using _ = withVariables({ STATE_USER: "ada", STATE_PASSWORD: "p@ss/w$rd" });
  const { user, password, shown } = readStateAddress("valkey://$STATE_USER:${STATE_PASSWORD}@host");
  assert.deepEqual([user, password, shown], ["ada", "p@ss/w$rd", "valkey://host:6379"]);
});

Deno.test("readStateAddress() warns of a password that others can read, and of no other", async () => {
  await using dir = await scratch();
  using _ = withVariables({ STATE_PASSWORD: "word" });
  for (
    const [text, warns] of [
      ["valkey://host", false],
      ["valkey://ada@host", false],
      ["valkey://:$STATE_PASSWORD@host", false],
      ["valkey://:word@host", true],
    ] as const
  ) {
    const log = join(dir.path, "log");
    await Deno.writeTextFile(log, "");
    setLogFile(log);
    readStateAddress(text);
    resetLog();
    const said = await Deno.readTextFile(log);
    assert.equal(said.includes("can be read in the list of processes"), warns, text);
    assert.equal(said.includes("word@"), false);
  }
});

for (const [written, meant] of [["a%40b", "a@b"], ["100%", "100%"], ["%ff", "%ff"]] as const) {
  Deno.test(`readStateAddress() reads the password ${written}`, () => {
    assert.equal(readStateAddress(`valkey://:${written}@host`).password, meant);
  });
}
