/** The audit log: every field, one line for each call, no secrets, nothing run without it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { AuditLog } from "../../src/call/audit_log.ts";
import { call } from "../../src/call/call.ts";
import { ClimaxError, ExitCode } from "../../src/errors.ts";
import type { Session } from "../../src/session/session.ts";
import { scratch } from "../e2e/_scratch.ts";
import { answerTo, sessionOf } from "../_session.ts";
import { unix } from "../_requirements.ts";
import { sandboxed } from "../_sandbox.ts";

// deno-lint-ignore no-explicit-any
type Entry = any;

const tool = {
  name: "only",
  command: "sh -c",
  args: [
    { name: "script", positional: true, default: "exit 0", text: "any" },
    { name: "count", type: "integer", flag: "-n" },
    { name: "token", flag: "--token" },
    { name: "key", flag: "--key=" },
    { name: "verbose", type: "boolean" },
    { name: "dir", cwd: true },
    { name: "input", stdin: true },
  ],
};

/** A session over {@linkcode tool} with an audit log, and the entries of that. */
async function withAudit(
  policy: object | undefined,
  use: (session: Session, entries: () => readonly Entry[], dir: string) => Promise<void>,
): Promise<void> {
  await using dir = await scratch();
  const file = join(dir.path, "policy.json");
  if (policy !== undefined) await Deno.writeTextFile(file, JSON.stringify(policy));
  const audit = join(dir.path, "audit.jsonl");
  const session = await sessionOf(
    { tools: [tool] },
    policy === undefined ? { audit } : { audit, policy: file },
  );
  const entries = () => {
    const lines = Deno.readTextFileSync(audit).split("\n");
    assert.equal(lines.pop(), "");
    return lines.map((line) => JSON.parse(line));
  };
  await use(session, entries, dir.path);
}

unix.test("call() writes every field of a call that was run", async () => {
  const policy = { tools: { only: { args: { count: { max: 9 } } } } };
  await withAudit(policy, async (session, entries, dir) => {
    const args = { script: "printf abc; printf é >&2; exit 3", count: "7", dir };
    const before = Date.now();
    await call(session, { tool: "only", args }, { client: "some client" });
    const [entry] = entries();
    assert.deepEqual(Object.keys(entry), [
      ...["time", "instance", "sequence", "client", "tool", "effect", "arguments"],
      ...["decision", "rule", "argv", "cwd", "ending", "exit_code"],
      ...["duration_ms", "stdout_bytes", "stderr_bytes", "tokens"],
    ]);
    const { time, instance, duration_ms, ...rest } = entry;
    assert.match(instance, /^[0-9a-f]{8}$/);
    assert.deepEqual(rest, {
      sequence: 1,
      client: "some client",
      tool: "only",
      effect: "destructive",
      arguments: { ...args, count: 7 },
      decision: "allowed",
      rule: "tools.only",
      argv: ["sh", "-c", args.script, "-n", "7"],
      cwd: dir,
      ending: "exited",
      exit_code: 3,
      stdout_bytes: 3,
      stderr_bytes: 2,
      tokens: 13,
    });
    // RFC 3339, in UTC
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(Date.parse(time) >= before && Date.parse(time) <= Date.now(), true);
    assert.equal(Number.isInteger(duration_ms) && duration_ms >= 0, true);
  });
});

const endings: readonly [script: string, timeout: number, ending: string, exit: boolean][] = [
  ["exit 0", 30, "exited", true],
  ["kill -KILL $$", 30, "signal SIGKILL", false],
  ["exec sleep 60", 0.1, "timed out", false],
];

for (const [script, timeout, ending, exit] of endings) {
  unix.test(`call() writes how '${script}' ended`, async () => {
    await using dir = await scratch();
    const audit = join(dir.path, "audit.jsonl");
    const session = await sessionOf({ tools: [{ ...tool, timeout }] }, { audit });
    await call(session, { tool: "only", args: { script } });
    const entry = JSON.parse(await Deno.readTextFile(audit));
    assert.equal(entry.ending, ending);
    assert.equal("exit_code" in entry, exit);
    assert.equal(entry.client, "unknown");
    assert.equal(entry.rule, "no policy");
  });
}

unix.test("call() writes that a program was not started, and a call cancelled", async () => {
  await using dir = await scratch();
  const audit = join(dir.path, "audit.jsonl");
  const missing = { name: "missing", command: "climax-no-such-program" };
  const session = await sessionOf({ tools: [missing, tool] }, { audit });
  await call(session, { tool: "missing" });
  await call(session, { tool: "only" }, { signal: AbortSignal.abort() });
  const lines = (await Deno.readTextFile(audit)).trimEnd().split("\n");
  assert.deepEqual(lines.map((line) => JSON.parse(line).ending), [
    "not started: command not found",
    "cancelled",
  ]);
});

const held = { tools: { only: { args: { script: { pattern: "[a-z]+" }, count: { max: 9 } } } } };
const refusals: readonly [
  what: string,
  policy: object | undefined,
  request: { tool: string; args?: unknown },
  rule: string,
  refusal: RegExp,
][] = [
  ["an unknown tool", held, { tool: "onl" }, "unknown tool", /^Unknown tool: onl$/],
  ["a wrong type", held, { tool: "only", args: { count: "x" } }, "arguments", /cannot convert/],
  ["no object", held, { tool: "only", args: [] }, "arguments", /'args' must be an object/],
  [
    "a dash without a policy",
    undefined,
    { tool: "only", args: { script: "-x" } },
    "script: leading dash",
    /begins with '-'/,
  ],
  [
    "a dash with a policy",
    held,
    { tool: "only", args: { script: "-x" } },
    "tools.only.args.script.leading dash",
    /begins with '-'/,
  ],
  [
    "a pattern",
    held,
    { tool: "only", args: { script: "X" } },
    "tools.only.args.script.pattern",
    /^Policy validation failed:\n {2}- Argument 'script': value 'X' does not match/,
  ],
  [
    "two rules",
    held,
    { tool: "only", args: { script: "X", count: 10 } },
    "tools.only.args.script.pattern, tools.only.args.count.max",
    /greater than maximum 9$/,
  ],
];

for (const [what, policy, request, rule, refusal] of refusals) {
  unix.test(`call() writes which rule refused ${what}`, async () => {
    await withAudit(policy, async (session, entries) => {
      const { text } = await answerTo(session, request);
      const [entry] = entries();
      assert.deepEqual(Object.keys(entry), [
        ...["time", "instance", "sequence", "client", "tool"],
        ...rule === "unknown tool" || Array.isArray(request.args) ? [] : ["effect"],
        ...rule.includes("script") ? ["arguments"] : [],
        ...["decision", "rule", "refusal"],
        ...["duration_ms", "stdout_bytes", "stderr_bytes", "tokens"],
      ]);
      assert.equal(entry.tool, request.tool);
      assert.equal(entry.decision, "refused");
      assert.equal(entry.rule, rule);
      assert.match(entry.refusal, refusal);
      assert.equal(text.includes("\nTakes: only("), text.startsWith("Argument validation failed:"));
      // Without what the tool takes
      assert.equal(entry.refusal, text.split("\n\n", 1)[0]);
    });
  });
}

unix.test("call() writes the default that let a tool be called", async () => {
  await withAudit({ default: "enabled" }, async (session, entries) => {
    await call(session, { tool: "only" });
    assert.equal(entries()[0].rule, "default: enabled");
  });
});

const secret = "s3cret-value";
const secrets = {
  tools: {
    only: {
      args: {
        token: { secret: true, pattern: "[a-z0-9-]+" },
        key: { secret: true },
        dir: { secret: true },
        input: { secret: true },
      },
    },
  },
};

const secretCalls: readonly [what: string, args: (dir: string) => object, argv: string[]][] = [
  ["a value", () => ({ token: secret }), ["sh", "-c", "exit 0", "--token", "***"]],
  ["a joined value", () => ({ key: secret }), ["sh", "-c", "exit 0", "--key=***"]],
  ["an input", () => ({ input: secret }), ["sh", "-c", "exit 0"]],
  ["a directory", (dir) => ({ dir: `${dir}/${secret}` }), ["sh", "-c", "exit 0"]],
];

for (const [what, args, argv] of secretCalls) {
  unix.test(`call() keeps ${what} that is secret out of the log`, async () => {
    await withAudit(secrets, async (session, entries, dir) => {
      await Deno.mkdir(join(dir, secret));
      assert.equal((await call(session, { tool: "only", args: args(dir) })).isError, false);
      const [entry] = entries();
      assert.deepEqual(entry.argv, argv);
      assert.equal(JSON.stringify(entry).includes(secret), false);
    });
  });
}

unix.test("call() keeps secrets out of every refusal", async () => {
  await withAudit(secrets, async (session, entries) => {
    const rows: readonly [args: unknown, rule: string][] = [
      [{ token: `${secret}!` }, "tools.only.args.token.pattern"],
      [{ token: [secret, secret] }, "arguments"],
      [{ other: secret, dry_run: true }, "arguments"],
      [{ count: secret }, "arguments"],
      [secret, "arguments"],
    ];
    for (const [index, [args, rule]] of rows.entries()) {
      assert.match((await answerTo(session, { tool: "only", args })).text, / failed:\n {2}- /);
      const entry = entries()[index];
      assert.equal(entry.rule, rule);
      assert.match(entry.refusal, /^\w+ validation failed: not shown, for the tool has secrets$/);
      assert.equal(JSON.stringify(entry).includes(secret), false);
    }
  });
});

unix.test("call() writes no character that nobody sees as it is", async () => {
  await withAudit(undefined, async (session, entries, dir) => {
    // A control of C1, a mark of direction, a line separator, a blank without width, a tag
    const bad = "x\x9b31m\u202egnp\u2028q\u200b\u{e0041}";
    await call(session, { tool: bad, args: { [bad]: bad } }, { client: bad, parent: bad });
    await call(session, { tool: "only", args: { script: `: ${bad}` } }, {
      client: "Ångström 日本",
    });
    const [refused, ran] = entries();
    assert.deepEqual([refused.tool, refused.client, ran.argv[2]], [bad, bad, `: ${bad}`]);
    const text = await Deno.readTextFile(join(dir, "audit.jsonl"));
    assert.match(text, /^[\x20-\x7e\nÅö日本]*$/);
    assert.match(text, /"client":"Ångström 日本"/);
  });
});

unix.test("AuditLog.open() makes a file for its owner only, and appends to one", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "audit.jsonl");
  const audit = AuditLog.open(path);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  audit.close();
  assert.throws(() => audit.catchUp(), Deno.errors.BadResource);
  await Deno.writeTextFile(path, '{"before":1}\n');
  await call(await sessionOf({ tools: [tool] }, { audit: path }), { tool: "only" });
  const lines = (await Deno.readTextFile(path)).split("\n");
  assert.equal(lines[0], '{"before":1}');
  assert.equal(JSON.parse(lines[1]!).tool, "only");
  assert.deepEqual(lines.slice(2), [""]);
  // Nothing would be kept there
  assert.throws(() => AuditLog.open("/dev/null"), (error) => {
    assert.ok(error instanceof ClimaxError);
    assert.match(error.problems[0]!.message, /: it is not a regular file$/);
    return true;
  });
});

unix.test("AuditLog.open() leaves a line alone that a stopped process has torn", async () => {
  await using dir = await scratch({ "audit.jsonl": '{"time":"20' });
  const path = join(dir.path, "audit.jsonl");
  const session = await sessionOf({ tools: [tool] }, { audit: path });
  await call(session, { tool: "only" });
  await call(session, { tool: "only" });
  const [torn, first, second, end] = (await Deno.readTextFile(path)).split("\n");
  assert.equal(torn, '{"time":"20');
  assert.equal(JSON.parse(first!).tool, "only");
  assert.equal(JSON.parse(second!).tool, "only");
  assert.equal(end, "");
});

unix.test("a log that lost no more than its last line says so, in a line of its own", async () => {
  await withAudit(undefined, async (session, entries, dir) => {
    const run = () => call(session, { tool: "only" });
    const audit = join(dir, "audit.jsonl");
    await run();
    const { size } = await Deno.stat(audit);
    await run();
    const after = (await Deno.stat(audit)).size;
    await Deno.truncate(audit, size);
    await run();
    assert.equal(entries()[1].notice, `cut from ${after} to ${size} bytes while it was open`);
    await Deno.truncate(audit, 3);
    await run();
    const [torn, notice, entry] = (await Deno.readTextFile(audit)).split("\n");
    assert.equal(torn!.length, 3);
    assert.match(JSON.parse(notice!).notice, /^cut from \d+ to 3 bytes/);
    assert.equal(JSON.parse(entry!).tool, "only");
  });
});

unix.test("the AuditLogs of several instances append to one file, and number their own lines", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "audit.jsonl");
  const instances = ["one", "two"].map((instance) => AuditLog.open(path, { instance }));
  const entry = { time: "", client: "", tool: "t", decision: "allowed", rule: "" } as const;
  const rest = { duration_ms: 1, stdout_bytes: 0, stderr_bytes: 0, tokens: 0 };
  for (let count = 0; count < 3; count++) {
    for (const log of instances) {
      const record = count % 2 === 0 ? "record" : "recordBefore";
      assert.equal(log[record]({ ...entry, ...rest }), undefined);
    }
  }
  for (const log of instances) log.close();
  const lines = (await Deno.readTextFile(path)).trimEnd().split("\n").map((l) => JSON.parse(l));
  assert.deepEqual(
    lines.map(({ instance, sequence }) => `${instance} ${sequence}`),
    ["one 1", "two 1", "one 2", "two 2", "one 3", "two 3"],
  );
});

unix.test("AuditLog cuts long command lines in the activity log only, and no arguments", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "audit.jsonl");
  const lines: string[] = [];
  const activity = { add: (line: string) => void lines.push(line), close() {} };
  const audit = AuditLog.open(path, { activity });
  const argv = Array.from({ length: 300 }, (_, at) => `${at}`);
  const calls = [{ tool: "t", argv }];
  audit.record({ tool: "t", arguments: { argv }, argv, calls } as Entry);
  audit.close();
  assert.deepEqual(JSON.parse(await Deno.readTextFile(path)).argv, argv);
  const short = JSON.parse(lines[0]!);
  const cut = [...argv.slice(0, 20), "… [280 more words]"];
  assert.deepEqual([short.argv, short.calls[0].argv, short.arguments], [cut, cut, { argv }]);
});

unix.test("AuditLog writes at its end what it could not write before", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "audit.jsonl");
  const audit = AuditLog.open(path);
  await Deno.rename(path, `${path}.old`);
  assert.match(audit.record({ tool: "late" } as Entry)!, /is not where it was/);
  await Deno.rename(`${path}.old`, path);
  audit.close();
  assert.equal(JSON.parse(await Deno.readTextFile(path)).tool, "late");
});

sandboxed.test("AuditLog writes what a full disk had no room for once there is room, in order", async () => {
  await using dir = await scratch();
  const code = `
      import { AuditLog } from "${new URL("../../src/call/audit_log.ts", import.meta.url)}";
      const audit = AuditLog.open("audit.jsonl");
      const fill = Deno.openSync("fill", { create: true, write: true });
      try { for (;;) fill.writeSync(new Uint8Array(4096)); } catch { fill.close(); }
      const entry = { time: "now", tool: "x".repeat(5000) };
      const [first, second] = [audit.record(entry), audit.recordBefore(entry)];
      Deno.removeSync("fill");
      console.log(JSON.stringify([first, second, audit.record(entry) ?? "written"]));
      console.log(Deno.readTextFileSync("audit.jsonl"));`;
  const small = ["--dev-bind", "/", "/", "--size", "65536", "--tmpfs", dir.path];
  const { stdout } = await new Deno.Command("bwrap", {
    args: [...small, "--chdir", dir.path, Deno.execPath(), "eval", "--quiet", code],
  }).output();
  const [reasons, ...lines] = new TextDecoder().decode(stdout).trim().split("\n");
  const isFull = /audit log 'audit.jsonl' cannot be written/;
  const [first, second, third] = JSON.parse(reasons!);
  assert.match(first, isFull);
  assert.match(second, isFull);
  assert.equal(third, "written");
  // One may be torn
  const written = lines.filter((line) => line.endsWith("}"));
  assert.deepEqual(written.map((line) => JSON.parse(line).sequence), [1, 2]);
});

unix.test("call() runs nothing when the log is not the file that was opened", async () => {
  const audit = (dir: string) => join(dir, "audit.jsonl");
  const moves: readonly [what: string, move: (dir: string) => Promise<void>, text: RegExp][] = [
    ["removed", (dir) => Deno.remove(audit(dir)), /is not where it was/],
    ["renamed", (dir) => Deno.rename(audit(dir), join(dir, "x")), /is not where it was/],
    [
      "replaced",
      async (dir) => {
        await Deno.copyFile(audit(dir), join(dir, "copy"));
        await Deno.rename(join(dir, "copy"), audit(dir));
      },
      /has been replaced by another file/,
    ],
    [
      "made a link",
      async (dir) => {
        await Deno.remove(audit(dir));
        await Deno.symlink("/dev/null", audit(dir));
      },
      /has been replaced by another file/,
    ],
  ];
  for (const [what, move, text] of moves) {
    await withAudit(undefined, async (session, _, dir) => {
      const made = join(dir, "made");
      const request = { tool: "only", args: { script: `echo ran >> ${made}` } };
      assert.equal((await answerTo(session, request)).isError, false, what);
      await move(dir);
      assert.match((await answerTo(session, request)).text, text, what);
      // Before anything else is looked at
      assert.match((await answerTo(session, { tool: "none" })).text, /^Call refused: audit/, what);
      assert.equal(await Deno.readTextFile(made), "ran\n", what);
    });
  }
});

unix.test("a call that waits for a permit is not run when the log fails meanwhile", async () => {
  await using dir = await scratch();
  const audit = join(dir.path, "audit.jsonl");
  const made = join(dir.path, "made");
  const session = await sessionOf({ tools: [tool] }, { audit, calls: { concurrency: 1 } });
  const running = Promise.withResolvers<void>();
  const script = `echo first >> ${made}; read line < ${dir.path}/go`;
  await new Deno.Command("mkfifo", { args: [join(dir.path, "go")] }).output();
  const first = answerTo(session, { tool: "only", args: { script: `echo up; ${script}` } }, {
    onProgress: () => running.resolve(),
  });
  await running.promise;
  const second = answerTo(session, { tool: "only", args: { script: `echo second >> ${made}` } });
  await Deno.remove(audit);
  await Deno.writeTextFile(join(dir.path, "go"), "\n");
  await first;
  assert.match((await second).text, /^Call refused: audit log .* is not where it was/);
  assert.equal(await Deno.readTextFile(made), "first\n");
  await assert.rejects(session.close(), (error) => {
    assert.ok(error instanceof ClimaxError);
    assert.equal(error.exitCode, ExitCode.file);
    assert.match(error.problems[0]!.message, /^\d calls? ran without an entry in the audit log$/);
    return true;
  });
});

unix.test("call() writes what would break a line so that it does not", async () => {
  await withAudit(undefined, async (session, entries) => {
    const script = 'true # "\n\r\u2028\u0085\\ {"decision":"allowed"}\n';
    await call(session, { tool: "only", args: { script } }, { client: "a\nb\ud800" });
    await call(session, { tool: "x\n{}\ud800" });
    const [ran, refused] = entries();
    assert.equal(entries().length, 2);
    assert.equal(ran.argv[2], script);
    assert.equal(ran.client, "a\nb\ud800");
    assert.equal(refused.tool, "x\n{}\ud800");
  });
});

unix.test("call() cuts what would fill the log, and says what the whole was", async () => {
  await withAudit(undefined, async (session, entries) => {
    const long = "x".repeat(1_000_000);
    await call(session, { tool: "only", args: { script: "exit 0", input: long, token: long } }, {
      client: "é".repeat(100_000),
    });
    await call(session, { tool: "only", args: { count: long } });
    const [ran, refused] = entries();
    for (const text of [ran.client, ran.argv.at(-1)]) {
      assert.equal(new TextEncoder().encode(text).length < 4096 + 120, true);
      assert.match(text, /… \[(?:1000000|200000) bytes, sha256 [0-9a-f]{64}\]$/);
      assert.equal(text.includes("\ufffd"), false);
    }
    assert.equal(refused.refusal.length < 5000, true);
  });
});
