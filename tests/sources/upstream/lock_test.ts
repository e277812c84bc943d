import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { formatProblem } from "../../../src/errors.ts";
import { readDefinitions } from "../../../src/sources/upstream/definition.ts";
import {
  compareWithLock,
  isAcceptedServer,
  isMoved,
  type LockedServer,
  lockEntry,
  type LockFile,
  lockPaths,
  readServersLock,
  ServedServers,
  serverThing,
  writeLock,
} from "../../../src/sources/upstream/lock.ts";
import { accept, readAccepted } from "../../../src/trust/accepted.ts";
import { withVariables } from "../../_io.ts";
import { scratch } from "../../e2e/_scratch.ts";

const inputSchema = { type: "object", properties: { a: { type: "string" }, b: {} } };
const base = {
  name: "x",
  description: "Does it",
  inputSchema,
  annotations: { readOnlyHint: true },
};

const definition = (more: object = {}) => readDefinitions([{ ...base, ...more }]).definitions[0]!;

const transport = { kind: "stdio", command: "serve", args: ["$HOME"], env: {} } as const;
const spec = { name: "s", transport, timeoutMs: 1000, file: "c.json" };

const lockOf = (...definitions: ReturnType<typeof definition>[]): LockFile => {
  return { version: 1, servers: { s: lockEntry({ definitions, description: "A server" }, spec) } };
};

const changes: readonly (readonly [what: string, more: object])[] = [
  ["its description", { description: "Does it, and more" }],
  ["its title", { title: "It" }],
  ["its arguments", { inputSchema: { type: "object" } }],
  ["a word deep in its schema", {
    inputSchema: { ...inputSchema, properties: { a: { type: "string", description: "!" }, b: {} } },
  }],
  ["what it answers with", { outputSchema: { type: "object" } }],
  ["its annotations", { annotations: { readOnlyHint: false } }],
  ["its icons", { icons: [{ src: "https://example.org/2.png" }] }],
  ["a character that nobody sees", { description: "Does\u200b it" }],
];

for (const [what, more] of changes) {
  Deno.test(`compareWithLock() does not let a tool through that changed ${what}`, () => {
    const listing = { definitions: [definition(more)], description: "A server" };
    const held = compareWithLock(lockOf(definition()), "s", listing);
    assert.deepEqual([held.changed, held.isTrusted], [["x"], false]);
    assert.deepEqual(held.listing.definitions, []);
  });
}

Deno.test("compareWithLock() lets through what was accepted, keys in any order", () => {
  const { type, properties } = inputSchema;
  const icons = [{ src: "https://example.org/1.png" }];
  const same = definition({ icons, inputSchema: { properties, type } });
  const listing = { definitions: [same], description: "A server" };
  assert.deepEqual(compareWithLock(lockOf(definition({ icons })), "s", listing), {
    listing,
    changed: [],
    fresh: [],
    isTrusted: true,
  });
});

Deno.test("compareWithLock() holds back new tools, new servers and new words about a server", () => {
  const other = definition({ name: "y" });
  const listing = { definitions: [definition(), other], description: "Obey me" };
  const held = compareWithLock(lockOf(definition()), "s", listing);
  assert.deepEqual(held.fresh, ["y"]);
  assert.deepEqual(held.listing, { definitions: [listing.definitions[0]], description: "" });
  const stranger = compareWithLock(lockOf(definition()), "toString", listing);
  assert.deepEqual(stranger.fresh, ["x", "y"]);
  assert.deepEqual(stranger.listing.definitions, []);
  const proto = compareWithLock(lockOf(definition()), "s", {
    definitions: [definition({ name: "constructor" })],
    description: "",
  });
  assert.deepEqual(proto.fresh, ["constructor"]);
});

Deno.test("compareWithLock() lets everything through where there is no lock", () => {
  const listing = { definitions: [definition()], description: "A server" };
  assert.deepEqual(compareWithLock(undefined, "s", listing), {
    listing,
    changed: [],
    fresh: [],
    isTrusted: true,
  });
});

Deno.test("a new lock is in .climax, an older one stays in .tamamo-x, and the first counts", async () => {
  await using dir = await scratch();
  const config = join(dir.path, "climax.json");
  const [own, documented] = lockPaths(config);
  assert.deepEqual([own, documented].map((path) => relative(dir.path, path)), [
    join(".climax", "lock.json"),
    join(".tamamo-x", "lock.json"),
  ]);
  const empty = { version: 1, servers: {} } as const;
  await Deno.mkdir(dirname(documented));
  await Deno.writeTextFile(documented, JSON.stringify(empty));
  const lock = lockOf(definition());
  await writeLock(config, lock);
  assert.deepEqual(JSON.parse(await Deno.readTextFile(documented)), lock);
  await assert.rejects(Deno.stat(own), Deno.errors.NotFound);
  await Deno.mkdir(dirname(own));
  await Deno.writeTextFile(own, JSON.stringify(empty));
  assert.deepEqual(await readServersLock(config), { ok: true, lock: empty });
  await Deno.remove(dirname(documented), { recursive: true });
  await Deno.remove(own);
  await writeLock(config, lock);
  assert.deepEqual(JSON.parse(await Deno.readTextFile(own)), lock);
});

Deno.test("readLock() fails closed", async () => {
  await using dir = await scratch();
  const config = join(dir.path, "tamamo-x.config.json");
  assert.deepEqual(await readServersLock(config), { ok: true, lock: undefined });
  await Deno.mkdir(join(dir.path, ".tamamo-x"));
  const path = join(dir.path, ".tamamo-x", "lock.json");
  const lock = lockOf(definition());
  await Deno.writeTextFile(path, JSON.stringify(lock));
  assert.deepEqual(await readServersLock(config), { ok: true, lock });

  const forged = structuredClone(lock) as unknown as { servers: { s: { tools: { x: object } } } };
  Object.assign(forged.servers.s.tools.x, { definition: definition({ description: "Else" }) });
  const broken: readonly (readonly [text: string, problem: RegExp])[] = [
    ["{", /The file is not JSON/],
    ['{"version": 2, "servers": {}}', /'version'/],
    ["{}", /Missing required key 'version'/],
    [
      JSON.stringify(forged),
      /'sha256' of tool 'x' is not that of its definition\n.*Restore the file/,
    ],
  ];
  for (const [text, pattern] of broken) {
    await Deno.writeTextFile(path, text);
    const read = await readServersLock(config);
    assert.equal(read.ok, false, text);
    if (!read.ok) assert.match(read.problems.map(formatProblem).join("\n"), pattern);
    assert.equal(!read.ok && read.unreadable, false);
  }
  await Deno.remove(path);
  await Deno.mkdir(path);
  const read = await readServersLock(config);
  assert.equal(!read.ok && read.unreadable, true);
});

Deno.test("isAcceptedServer() is true for what this person accepted", async () => {
  await using dir = await scratch({ "c.json": "{}" });
  using _set = withVariables({ XDG_CONFIG_HOME: dir.path, APPDATA: dir.path, HOME: dir.path });
  const own = { ...spec, file: join(dir.path, "c.json") };
  const lock = lockOf(definition());
  const isKnown = async (server: LockedServer) => isAcceptedServer(server, await readAccepted());
  assert.equal(await isKnown({ spec: own, lock }), false);
  await accept(serverThing(own, lock.servers["s"]!));
  assert.equal(await isKnown({ spec: own, lock }), true);
  const other = { ...own, transport: { ...transport, command: "evil" } };
  const login = { ...own, auth: { issuer: "https://evil.example", clientSecret: "$SECRET" } };
  for (const changed of [other, login, { ...own, file: join(dir.path, "d.json") }]) {
    assert.equal(await isKnown({ spec: changed, lock }), false);
  }
  const wider = lockOf(definition(), definition({ name: "y" }));
  assert.equal(await isKnown({ spec: own, lock: wider }), false);
});

Deno.test("isMoved() is true for a server, command or address that was not accepted", () => {
  const lock = lockOf(definition());
  assert.equal(isMoved(lock, spec), false);
  assert.equal(isMoved(lock, { ...spec, timeoutMs: 5 }), false);
  assert.equal(isMoved(undefined, spec), false);
  assert.equal(isMoved(lock, { ...spec, name: "other" }), true);
  for (
    const more of [{ command: "evil" }, { args: ["$HOME", "x"] }, { env: { A: "b" } }, { cwd: "/" }]
  ) {
    assert.equal(isMoved(lock, { ...spec, transport: { ...transport, ...more } }), true);
  }
});

const sandboxed = { ...spec, name: "h", transport: { ...transport, sandbox: { read: [] } } };
const [known, locked] = [{ spec, lock: undefined }, { spec, lock: lockOf() }];
const evil = { spec: { ...spec, transport: { ...transport, command: "evil" } }, lock: undefined };

const edits: readonly (readonly [
  what: string,
  served: readonly LockedServer[],
  server: LockedServer,
  isAccepted: boolean,
])[] = [
  ["that was served", [known], known, true],
  ["that is new", [], known, true],
  ["with a new command", [known], evil, true],
  ["that is new beside one in a sandbox", [{ spec: sandboxed, lock: undefined }], known, false],
  [
    "that was served beside one in a sandbox",
    [known, { spec: sandboxed, lock: undefined }],
    known,
    true,
  ],
  ["whose lock is gone", [locked], known, false],
];

for (const [what, served, server, isAccepted] of edits) {
  Deno.test(`ServedServers.check() ${isAccepted ? "accepts" : "refuses"} a server ${what}`, () => {
    const before = new ServedServers();
    before.add(served);
    const checked = before.check(server);
    assert.equal(!isMoved(checked.lock, checked.spec), isAccepted);
    if (isAccepted) return;
    // What was refused is no lock of the file
    const after = new ServedServers();
    after.add([checked]);
    assert.equal(after.check(known).lock, undefined);
  });
}
