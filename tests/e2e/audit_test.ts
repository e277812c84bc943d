/** The audit log of the real server: on disk before the answer, and what happens when it is full. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { configText } from "../_upstream.ts";
import { climax as run } from "../cli/commands/_climax.ts";
import { RawServer, startRawFrom, startReady } from "./_raw.ts";
import { type Scratch, scratch } from "./_scratch.ts";
import { climax } from "./_server.ts";
import { linux, unix } from "../_requirements.ts";

const tools = `name: audited
command: ""
tools:
  - name: shell
    command: sh -c
    args:
      - { name: script, positional: true, required: true }
      - { name: token, flag: --token }
  - { name: missing, command: climax-no-such-program, args: [{ name: token, flag: --token }] }
`;

const policy = `default: enabled
tools:
  shell: { args: { token: { secret: true, pattern: "[a-z0-9-]*" } } }
  missing: { args: { token: { secret: true } } }
`;

async function prepare(dir: Scratch): Promise<string> {
  await Deno.writeTextFile(join(dir.path, "tools.yaml"), tools);
  await Deno.writeTextFile(join(dir.path, "policy.yaml"), policy);
  return join(dir.path, "audit.jsonl");
}

// deno-lint-ignore no-explicit-any
function entriesIn(file: string): any[] {
  return Deno.readTextFileSync(file).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

unix.test("CLIMAX_AUDIT_FILE names the log of run and call, --audit goes before it", async () => {
  await using dir = await scratch();
  const audit = await prepare(dir);
  const env = { CLIMAX_AUDIT_FILE: audit };
  await using server = await startReady(["tools.yaml", "--classic"], { cwd: dir.path, env });
  await server.call("shell", { script: "exit 1" });
  const words = ["call", "shell", "script=exit 2", "--config", "tools.yaml"];
  await run(words, { cwd: dir.path, env });
  await run([...words, "--audit", "other.jsonl"], { cwd: dir.path, env });
  await run([...words, "--dry-run"], { cwd: dir.path, env });
  const seen = entriesIn(audit).map(({ client, exit_code }) => [client, exit_code]);
  assert.deepEqual(seen, [["raw", 1], ["climax call", 2]]);
  assert.equal(entriesIn(join(dir.path, "other.jsonl")).length, 1);
});

unix.test("a log that cannot be opened stops the start: exit code 3", async () => {
  await using dir = await scratch();
  await prepare(dir);
  const path = (name: string) => join(dir.path, name);
  await new Deno.Command("mkfifo", { args: [path("fifo")] }).output();
  await Deno.symlink(path("fifo"), path("link"));
  // Its only server would make a file
  const mcp = configText([{ name: "x", transport: "stdio", command: "touch", args: ["made"] }]);
  await Deno.writeTextFile(path("mcp.json"), mcp);
  for (const log of ["none/audit.jsonl", "fifo", "link", ".", "/dev/null", "/dev/full"]) {
    const words = ["tools.yaml", "--mcp", "mcp.json", "--audit", log];
    for (const command of [["run"], ["call", "shell", "script=touch made", "--config"]]) {
      const { code, stdout, stderr } = await run([...command, ...words], { cwd: dir.path });
      assert.deepEqual([code, stdout], [3, ""], log);
      assert.equal(stderr.startsWith(`error: ${log}: Audit log cannot be opened: `), true, stderr);
    }
  }
  await assert.rejects(Deno.stat(join(dir.path, "made")), Deno.errors.NotFound);
});

unix.test("no secret is in the audit log or in any log line", async () => {
  await using dir = await scratch();
  const audit = await prepare(dir);
  const log = join(dir.path, "log.txt");
  const words = ["tools.yaml", "--policy", "policy.yaml", "--audit", audit, "--classic"];
  await using server = await startReady([...words, "--log-level", "debug"], {
    cwd: dir.path,
    env: { CLIMAX_LOG_FILE: log },
  });
  const token = "s3cret-value";
  assert.equal((await server.call("shell", { script: "true", token })).isError, false);
  const refused = await server.call("shell", { script: "true", token: `${token}!` });
  assert.match(refused.text, /does not match pattern/);
  const mistyped = await server.call("shell", { script: "true", token: { token } });
  assert.match(mistyped.text, /cannot convert/);
  assert.match((await server.call("shell", { script: "-x", token })).text, /begins with '-'/);
  assert.match((await server.call("missing", { token })).text, /^Command not found/);
  await server.call("no_such_tool", { token });
  await server.request("tools/call", { name: "shell", arguments: token });
  await server.request("tools/none", { token });
  await server.closeInput();
  const { stderr } = await server.ended();
  assert.match(stderr, /debug: running \["sh","-c","true","--token","\*\*\*"\]/);
  const whole = await Deno.readTextFile(audit);
  assert.equal(entriesIn(audit).length >= 6, true);
  for (const text of [stderr, whole, await Deno.readTextFile(log)]) {
    assert.notEqual(text, "");
    assert.equal(text.includes("s3cret"), false, text);
  }
});

/** A server that may make no file larger than `bytes`. */
function startWithin(bytes: number, words: readonly string[], cwd: string): RawServer {
  // POSIX counts in 512 bytes; the signal would end the server where it is not ignored
  const script = `trap '' XFSZ; ulimit -f ${bytes / 512}; exec "$@"`;
  return startRawFrom(["sh", "-c", script, "sh", ...climax("run", ...words)], { cwd });
}

linux.test("nothing is run while the log cannot be written, and again when it can", async () => {
  await using dir = await scratch();
  const audit = await prepare(dir);
  // As large as a file may be, but for half a line; sparse, so that it costs no room
  const limit = 256 * 1024 * 1024;
  await Deno.writeTextFile(audit, "");
  await Deno.truncate(audit, limit - 100);
  const words = ["tools.yaml", "--audit", "audit.jsonl", "--classic"];
  await using server = startWithin(limit, words, dir.path);
  await server.initialize();
  const made = join(dir.path, "made");
  const run = (index: number) =>
    server.call("shell", { script: `echo ${index} >> made; echo ran` });

  const first = await run(1);
  assert.equal(first.isError, true);
  assert.match(
    first.text,
    /^Result withheld: audit log 'audit\.jsonl' cannot be written: File too/,
  );
  assert.equal(await Deno.readTextFile(made), "1\n");
  for (const index of [2, 3]) {
    const { text, isError } = await run(index);
    assert.equal(isError, true);
    assert.match(text, /^Call refused: audit log 'audit\.jsonl' cannot be written: File too/);
  }
  assert.equal((await server.call("none", {})).text.startsWith("Call refused: "), true);
  assert.equal(await Deno.readTextFile(made), "1\n");
  assert.equal((await Deno.stat(audit)).size, limit);

  await Deno.truncate(audit, 0);
  assert.deepEqual(await run(4), { text: "ran", isError: false });
  assert.equal(await Deno.readTextFile(made), "1\n4\n");
  // The call whose result was withheld is on record, those that were refused never happened
  const [notice, ...entries] = entriesIn(audit);
  assert.match(notice!.notice, /^cut from 268435456 to 0 bytes while it was open$/);
  assert.deepEqual(entries.map(({ argv }) => argv[2].slice(0, 6)), ["echo 1", "echo 4"]);
});
