/**
 * The bundled sqlite3 config and databases that are hostile themselves: whatever module, view or index
 * their schema has, a call reads no other file, and sound databases are read as ever.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Ground, ground, secret } from "../configs/_ground.ts";
import { exists } from "../../e2e/_scratch.ts";
import { whyNot } from "../../configs/_programs.ts";
import { testsUnless } from "../../_requirements.ts";

const here = testsUnless(Deno.build.os === "windows" || await whyNot("sqlite3") !== undefined);

/** A row of the schema: type, name, the page where it begins, and its statement. */
type Entry = readonly [type: string | null, name: string, page: number, sql: string | Uint8Array];

const virtual = (sql: string | Uint8Array, name = "fs"): Entry[] => [["table", name, 0, sql]];

/** Opens a database whose schema may be written as any other table. */
function openUnheld(path: string): DatabaseSync {
  // Not in the types yet
  const database = new DatabaseSync(path) as DatabaseSync & { enableDefensive?(on: boolean): void };
  database.enableDefensive?.(false);
  database.exec("PRAGMA writable_schema = ON");
  return database;
}

/** Makes a database with a table `t`, and then writes `entries` into its schema as they are. */
function makeDatabase(path: string, statements: string, entries: readonly Entry[] = []): void {
  const database = openUnheld(path);
  database.exec(`${statements}; CREATE TABLE t(a); INSERT INTO t VALUES('sound')`);
  const insert = database.prepare("INSERT INTO sqlite_master VALUES(?, ?, ?, ?, ?)");
  for (const [type, name, page, sql] of entries) insert.run(type, name, name, page, sql);
  database.close();
}

/** A schema that names a module, and the statement before it. */
const hostile: Readonly<Record<string, readonly [before: string, entries: readonly Entry[]]>> = {
  "a module": ["", virtual("CREATE VIRTUAL TABLE fs USING fsdir")],
  "comments": ["", virtual("CREATE/**/VIRTUAL/**/TABLE fs USING fsdir")],
  "blanks and cases": ["", virtual("create \t virtual\n table fs using \n FSDIR")],
  "a zip file": ["", virtual("CREATE VIRTUAL TABLE fs USING zipfile('$PLACE/secret.zip')")],
  "CSV": ["", virtual("CREATE VIRTUAL TABLE fs USING csv(filename='$PLACE/secret.json')")],
  "another name": ["", virtual("CREATE VIRTUAL TABLE fs USING fsdir", "other")],
  "a name that reads on": [
    "",
    virtual("CREATE VIRTUAL TABLE fs USING fsdir -- USING fts5(a)", "fs USING fsdir --"),
  ],
  "a quoted name that reads on": [
    "",
    virtual('CREATE VIRTUAL TABLE "fs USING fts5(" USING fsdir', "fs USING fts5("),
  ],
  "bytes": ["", virtual(new TextEncoder().encode("CREATE VIRTUAL TABLE fs USING fsdir"))],
  "a NUL": ["", virtual("CREATE VIRTUAL TABLE fs USING fsdir\0 create table")],
  "UTF-16": ["PRAGMA encoding = 'UTF-16le'", virtual("CREATE VIRTUAL TABLE fs USING fsdir")],
  "another type": ["", [["view", "fs", 0, "CREATE VIRTUAL TABLE fs USING fsdir"]]],
  "no type": ["", [[null, "fs", 0, "CREATE VIRTUAL TABLE fs USING fsdir"]]],
  "the content of a search table": [
    "",
    virtual(
      "CREATE VIRTUAL TABLE fs USING fts5(path, data, content='FsDir', content_rowid='path')",
    ),
  ],
  "a function that unpacks": [
    "",
    virtual(
      'CREATE VIRTUAL TABLE fs USING fts4(path, data, Compress=lower, "a", uncompress=sha3_query)',
    ),
  ],
  "a view": ["CREATE VIEW fs AS SELECT name AS path, data FROM fsdir('$PLACE/secret.json')", []],
  "a view of a function": [
    "CREATE VIEW fs AS SELECT '' AS path, readfile('$PLACE/secret.json') AS data",
    [],
  ],
};

/** Every tool with a database, called so that it would read the secret if anything did. */
async function readAll({ call, outside }: Ground, database: string): Promise<string> {
  const path = `${outside}/secret.json`;
  const queries = [
    `SELECT cast(data AS text) AS d FROM fs WHERE path = '${path}'`,
    "SELECT cast(data AS text) AS d FROM fs",
    `SELECT cast(data AS text) AS d FROM fs('${path}')`,
  ];
  const texts = [];
  for (const sql of queries) {
    texts.push(await call("sqlite3_query", { database, sql }));
    texts.push(await call("sqlite3_explain", { database, sql }));
  }
  for (const tool of ["columns", "sample", "indexes"]) {
    texts.push(await call(`sqlite3_${tool}`, { database, table: "fs" }));
  }
  for (const tool of ["tables", "schema", "check"]) {
    texts.push(await call(`sqlite3_${tool}`, { database }));
  }
  return texts.join("\n");
}

for (const [what, [before, entries]] of Object.entries(hostile)) {
  here.test(`an agent with the config sqlite3 reads no file through a database with ${what}`, async () => {
    await using place = await ground(["sqlite3"], {});
    const filled = (text: string) => text.replaceAll("$PLACE", place.outside);
    const rows = entries.map(([type, name, page, sql]): Entry => {
      return [type, name, page, typeof sql === "string" ? filled(sql) : sql];
    });
    makeDatabase(join(place.work, "x.db"), filled(before), rows);
    const text = await readAll(place, "x.db");
    assert.equal(text.includes(secret), false, text);
    if (entries.length > 0) assert.match(text, /virtual table that may read|malformed/);
  });
}

here.test("an index of a database's own schema hides no module from the config sqlite3", async () => {
  await using place = await ground(["sqlite3"], {});
  const path = join(place.work, "x.db");
  makeDatabase(
    path,
    "CREATE TABLE z(sql); INSERT INTO z VALUES('CREATE TABLE t(a)'); CREATE INDEX i ON z(sql)",
  );
  const database = openUnheld(path);
  const { rootpage } = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'i'")
    .get() as { rootpage: number };
  database.exec("DELETE FROM sqlite_master WHERE name = 'i'");
  const insert = database.prepare("INSERT INTO sqlite_master VALUES(?, ?, ?, ?, ?)");
  insert.run("index", "i", "sqlite_master", rootpage, "CREATE INDEX i ON sqlite_master(sql)");
  insert.run("table", "fs", "fs", 0, "CREATE VIRTUAL TABLE fs USING fsdir");
  database.close();
  const text = await readAll(place, "x.db");
  assert.equal(text.includes(secret), false, text);
  assert.match(text, /virtual table that may read/);
});

here.test("a link in place of the log of a database is not read by the config sqlite3", async () => {
  await using place = await ground(["sqlite3"], {});
  // Another's database, whose last rows are in its log
  const theirs = new DatabaseSync(join(place.outside, "theirs.db"));
  theirs.exec("PRAGMA journal_mode = WAL; CREATE TABLE t(a); PRAGMA wal_checkpoint(TRUNCATE)");
  theirs.exec(`INSERT INTO t VALUES('${secret}')`);
  for (const name of ["theirs.db-wal", "theirs.db"]) {
    await Deno.copyFile(join(place.outside, name), join(place.outside, `copy-${name}`));
  }
  theirs.close();
  await Deno.copyFile(join(place.outside, "copy-theirs.db"), join(place.work, "x.db"));
  for (const end of ["wal", "journal", "shm"]) {
    await Deno.symlink("../copy-theirs.db-wal", join(place.work, `x.db-${end}`));
  }
  const before = await Deno.readFile(join(place.outside, "copy-theirs.db-wal"));
  const text = await place.call("sqlite3_query", { database: "x.db", sql: "SELECT a FROM t" });
  assert.equal(text.includes(secret), false, text);
  assert.deepEqual(await Deno.readFile(join(place.outside, "copy-theirs.db-wal")), before);
});

here.test("a journal that names a file has the config sqlite3 remove none", async () => {
  await using place = await ground(["sqlite3"], {});
  makeDatabase(join(place.work, "x.db"), "");
  const victim = join(place.outside, "secret.json");
  await Deno.writeFile(join(place.work, "x.db-journal"), journalNaming(victim));
  await readAll(place, "x.db");
  assert.equal(await exists(victim), true);
  assert.equal(await exists(join(place.work, "x.db-journal")), true);
});

/**
 * A journal that another process seems to have left, of a transaction over several files, which the super
 * journal `path` lists: one that may write would remove that. By the file format of SQLite, section 3.
 */
function journalNaming(path: string): Uint8Array {
  const magic = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
  const name = new TextEncoder().encode(path);
  const bytes = new Uint8Array(512 + 4 + name.length + 8 + 8);
  const view = new DataView(bytes.buffer);
  bytes.set(magic);
  for (const [at, value] of [0, 1, 2, 512, 4096].entries()) view.setUint32(8 + at * 4, value);
  // The page of locks, which no journal has
  view.setUint32(512, 0x40000000 / 4096 + 1);
  bytes.set(name, 516);
  view.setUint32(516 + name.length, name.length);
  view.setUint32(520 + name.length, name.reduce((sum, byte) => sum + byte, 0));
  bytes.set(magic, 524 + name.length);
  return bytes;
}

here.test("the config sqlite3 reads databases with views, search, R-trees and logs as ever", async () => {
  await using place = await ground(["sqlite3"], {});
  const path = join(place.work, "x.db");
  makeDatabase(
    path,
    `
      CREATE TABLE "a b"(x, y AS (x + 1) VIRTUAL); INSERT INTO "a b"(x) VALUES(41);
      CREATE VIEW v AS SELECT y, datetime(0, 'unixepoch') AS d FROM "a b";
      CREATE TABLE u(a UNIQUE); CREATE UNIQUE INDEX ui ON u(a); CREATE INDEX ul ON u(lower(a));
      CREATE TRIGGER tr AFTER INSERT ON u BEGIN SELECT 1; END;
      CREATE VIRTUAL TABLE IF NOT EXISTS f5 USING fts5(a, b);
      INSERT INTO f5 VALUES('hello', 'world');
      CREATE VIRTUAL TABLE "f4"
        using FTS4 (a); CREATE VIRTUAL TABLE [r] USING rtree(id, x0, x1);
      INSERT INTO r VALUES(1, 2, 3)`,
  );
  const rows: readonly [sql: string, text: string][] = [
    ["SELECT a FROM t", "a\nsound"],
    ["SELECT y, d FROM v", 'y,d\n42,"1970-01-01 00:00:00"'],
    ["SELECT b FROM f5 WHERE f5 MATCH 'hello'", "b\nworld"],
    ["SELECT count(*) AS n FROM f4", "n\n0"],
    ["SELECT id FROM r WHERE x0 < 5", "id\n1"],
    ["SELECT a FROM t WHERE 0", "(no output)"],
    ["PRAGMA foreign_keys", "foreign_keys\n0"],
  ];
  for (const [sql, text] of rows) {
    assert.equal(await place.call("sqlite3_query", { database: "x.db", sql }), text, sql);
  }
  // One that is being written, whose rows are in its log
  const open = new DatabaseSync(join(place.work, "log.db"));
  open.exec("PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES('in the log')");
  const sql = "SELECT a FROM t";
  assert.match(await place.call("sqlite3_query", { database: "log.db", sql }), /in the log/);
  open.close();
  assert.equal(await exists(join(place.outside, "trace")), false);
});
