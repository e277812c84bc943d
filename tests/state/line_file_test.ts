/** Lines that several processes append to one bounded file of a person, and that are lost before a call is. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { LineFile, type LineFileOptions } from "../../src/state/line_file.ts";
import { resetLog, setLogFile } from "../../src/log.ts";
import { scratch } from "../e2e/_scratch.ts";
import { root } from "../e2e/_server.ts";
import { linux, unixTest } from "../_requirements.ts";
import { until } from "../_wait.ts";

const day = 86_400_000;
const bounds = { maxBytes: 4000, maxAgeMs: 30 * day, now: () => 100 * day };

function line(text: string, ms = 100 * day): string {
  return JSON.stringify({ time: new Date(ms).toISOString(), text });
}

function textsIn(path: string): string[] {
  const lines = Deno.readTextFileSync(path).split("\n").filter((line) => line.endsWith("}"));
  return lines.map((line) => JSON.parse(line).text).filter((text) => text !== undefined);
}

/** Opens a file, and returns what was warned of while it was used. */
async function withFile(
  use: (file: LineFile, path: string) => unknown,
  { before = "", ...options }: Partial<LineFileOptions> & { before?: string } = {},
): Promise<string> {
  await using dir = await scratch();
  const folder = join(dir.path, "private");
  const [path, warnings] = [join(folder, "lines"), join(dir.path, "warnings")];
  await Deno.mkdir(folder, { mode: 0o700 });
  if (before !== "") await Deno.writeTextFile(path, before, { mode: 0o600 });
  setLogFile(warnings);
  const file = await LineFile.open(folder, "lines", { ...bounds, ...options });
  try {
    await use(file, path);
  } finally {
    file.close();
    resetLog();
  }
  return await Deno.readTextFile(warnings);
}

Deno.test("LineFile takes room from who filled it, and says so", async () => {
  const owned = (instance: string, client: string, text: string) => {
    const time = new Date(100 * day).toISOString();
    const decision = text === "x" ? "refused" : "allowed";
    return JSON.stringify({ time, instance, client, effect: "write", decision, text });
  };
  await withFile((file, path) => {
    const others = [["quiet", "a", "1"], ["busy", "b", "2"], ["quiet", "a", "3"]] as const;
    file.add(owned("busy", "flood", "0"));
    for (const [instance, client, text] of others) file.add(owned(instance, client, text));
    for (let at = 0; at < 500; at++) file.add(owned("busy", "flood", "x"));
    assert.deepEqual(textsIn(path).filter((text) => text !== "x"), ["0", "1", "2", "3"]);
    // A client that takes another name for each call has only the room of its process
    for (let at = 0; at < 500; at++) file.add(owned("busy", String(at), "x"));
    assert.deepEqual(textsIn(path).filter((text) => text !== "x"), ["1", "3"]);
    assert.match(Deno.readTextFileSync(path), /"notice":"\d+ calls before this line had no room/);
  });
});

const old = [line("old", 60 * day), "no JSON", line("young", 99 * day)].join("\n");
for (
  const [what, before, expected] of [
    ["removes lines over its age", `${old}\n`, ["young", "new"]],
    ["begins a line behind a torn one", `${line("a")}\n{"time":"19`, ["a", "new"]],
    ["keeps lines that a clock dated later", `${line("later", 200 * day)}\n`, ["later", "new"]],
    ["drops a line that is longer than the file may be", "x".repeat(9000), ["new"]],
  ] as const
) {
  Deno.test(`LineFile ${what}`, async () => {
    await withFile((file, path) => {
      file.add(line("new"));
      assert.deepEqual(textsIn(path), expected);
    }, { before });
  });
}

/** Runs `body`, which has a `LineFile` in `dir` and a name, in a process of its own; `before` stands in front of its words. */
async function inProcess(dir: string, body: string, { name = "", before = [] as string[] } = {}) {
  const module = new URL("../../src/state/line_file.ts", import.meta.url);
  const code = `
    import { LineFile } from ${JSON.stringify(module.href)};
    const file = await LineFile.open(Deno.args[0], "lines", { maxBytes: 1e7, maxAgeMs: 1e15 });
    const name = Deno.args[1];
    const add = (text, pad) =>
      file.add(JSON.stringify({ time: new Date().toISOString(), text, pad: "x".repeat(pad) }));
    ${body}
    file.close();`;
  const script = join(dir, `writer${name}.ts`);
  await Deno.writeTextFile(script, code);
  const flags = ["run", "-A", "--no-check", "--config", join(root, "deno.json")];
  const [program, ...args] = [...before, Deno.execPath(), ...flags, script, dir, name];
  const { code: exit, stderr } = await new Deno.Command(program!, { args }).output();
  return { exit, said: new TextDecoder().decode(stderr) };
}

unixTest("LineFile takes lines of several processes at once, and loses none", async () => {
  await using dir = await scratch();
  const body = `
    for (let at = 0; at < 300; at++) {
      add(name + at, at * 9);
      if (at % 50 === 0) await new Promise((done) => setTimeout(done, 1));
    }`;
  const names = ["a", "b", "c"];
  const ends = await Promise.all(names.map((name) => inProcess(dir.path, body, { name })));
  assert.deepEqual(ends.map(({ exit, said }) => [exit, said]), names.map(() => [0, ""]));
  const all = names.flatMap((name) => Array.from({ length: 300 }, (_, at) => name + at));
  assert.deepEqual(textsIn(join(dir.path, "lines")).toSorted(), all.toSorted());
});

linux.test("LineFile leaves no half line on a full disk", async () => {
  // A limit of the file's size stands for it
  await using dir = await scratch();
  const before = ["sh", "-c", `ulimit -f 64; trap '' XFSZ; exec "$@"`, "sh"];
  const body = "for (let at = 0; at < 3000; at++) add('', 99);";
  const { exit, said } = await inProcess(dir.path, body, { before });
  assert.equal(exit, 0);
  assert.match(said, /^[^\n]*Calls are missing in [^\n]*File too large[^\n]*\n$/);
  const text = await Deno.readTextFile(join(dir.path, "lines"));
  assert.ok(text.length > 30_000 && text.length <= 64 * 1024);
  assert.ok(text.trimEnd().split("\n").every((line) => line.endsWith('x"}')));
});

unixTest(
  "LineFile waits for a lock without holding its caller, and warns once of what it loses",
  async () => {
    const said = await withFile(async (file, path) => {
      const other = await Deno.open(path, { read: true, write: true });
      await other.lock(true);
      file.add(line("waits"));
      assert.deepEqual(textsIn(path), []);
      await other.unlock();
      other.close();
      await until(() => textsIn(path).length > 0, "the line that waited");
      await Deno.chmod(path, 0o644);
      for (const text of ["lost", "lost too"]) file.add(line(text));
      await Deno.chmod(path, 0o600);
      file.add(line("again"));
      assert.deepEqual(textsIn(path), ["waits", "again"]);
    });
    assert.match(
      said,
      /^[^\n]*warning: Calls are missing in lines: \S+ Other users may read it\n$/,
    );
  },
);

unixTest(
  "LineFile goes on in a new file when a person has removed it, and follows no link",
  async () => {
    await withFile(async (file, path) => {
      await Deno.remove(path);
      file.add(line("kept"));
      const isThere = () => Deno.statSync(path).size > 0;
      await until(() => Promise.try(isThere).catch(() => false), "the new file");
      assert.deepEqual(textsIn(path), ["kept"]);
      await Deno.rename(path, `${path}.real`);
      await Deno.symlink(`${path}.real`, path);
      file.add(line("lost"));
      assert.deepEqual(textsIn(path), ["kept"]);
    });
  },
);

Deno.test("LineFile keeps within its bytes: the last lines stay, each whole", async () => {
  await withFile((file, path) => {
    for (let at = 0; at < 500; at++) {
      file.add(line(String(at)));
      assert.ok(Deno.statSync(path).size <= bounds.maxBytes);
    }
    const texts = textsIn(path).map(Number);
    assert.ok(texts.length > 20);
    assert.deepEqual(texts, Array.from(texts, (_, at) => 500 - texts.length + at));
  });
});
