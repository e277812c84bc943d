/** `script_run`: its calls go the way of every call, and its results are bounded as any. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Outputs } from "../../../src/jobs/outputs.ts";
import { callValue } from "../../../src/sources/scripts/call_value.ts";
import { InnerCalls } from "../../../src/sources/scripts/inner_calls.ts";
import { scriptLimits } from "../../../src/sources/scripts/limits.ts";
import { openSession, type Session, type SessionOptions } from "../../../src/session/session.ts";
import type { Answer as PersonsAnswer, Question } from "../../../src/tool/runner.ts";
import { call } from "../../../src/call/call.ts";
import { narrowContext } from "../../../src/call/context.ts";
import { ToolIndex } from "../../../src/catalog/tool_index.ts";
import type { CallOptions } from "../../../src/call/pipeline.ts";
import { type CallResult, textResult } from "../../../src/tool/result.ts";
import { answerOf, answerTo, openPolicy, policyOf, sessionOf, shellTool } from "../../_session.ts";
import { featured, openServers } from "../../_upstream.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { withDirectory, withVariables } from "../../_io.ts";
import { unix } from "../../_requirements.ts";

const word = { name: "word", positional: true, required: true };

/** A config with a tool of each effect, and one that prints what a shell does. */
const config = {
  tools: [
    { name: "echo_read", command: "echo", effect: "read", args: [word] },
    { name: "echo_write", command: "echo", effect: "write", args: [word] },
    { name: "shell", effect: "read", ...shellTool },
  ],
} as const;

interface Run {
  readonly text: string;
  readonly isError: boolean;
  /** Entries of the audit log. */
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly questions: readonly string[];
}

interface RunOptions extends Omit<SessionOptions, "configs" | "policy"> {
  readonly policy?: object;
  readonly args?: object;
  /** The person's answer; absent: the client cannot ask. */
  readonly says?: PersonsAnswer;
}

/** Opens a session over {@linkcode config} with scripts on. */
async function open(dir: string, { policy, ...options }: Omit<RunOptions, "args" | "says">) {
  const named = { policy: policy === undefined ? openPolicy : policyOf(policy) };
  const audit = join(dir, "audit.jsonl");
  return await sessionOf(config, { scripts: true, audit, ...named, ...options });
}

/** Runs `code` and returns everything that can be seen of it. */
async function runOf(code: string, { args, says, ...options }: RunOptions = {}): Promise<Run> {
  await using dir = await scratch();
  await using session = await open(dir.path, options);
  const questions: string[] = [];
  const ask = says && ((question: Question) => {
    questions.push(question.message);
    return Promise.resolve(says);
  });
  const answer = await run(session, code, { ask, client: "tester" }, args);
  const lines = Deno.readTextFileSync(join(dir.path, "audit.jsonl")).trim().split("\n");
  const entries = lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  return { ...answer, entries, questions };
}

async function run(session: Session, code: string, options?: CallOptions, args?: object) {
  return await answerTo(session, { tool: "script_run", args: { code, ...args } }, options);
}

const yes = { action: "accept", content: { run: true } } as const;

Deno.test("InnerCalls answers as many requests as a script may make", async () => {
  await using context = await sessionOf(config);
  const limits = { ...scriptLimits, calls: 2 };
  const calls = new InnerCalls({ context, options: {}, id: "s1", limits });
  const failures = await Promise.all([1, 2, 3].map(async () => {
    return (await calls.answer({ kind: "search", text: '{"query":"echo"}' })).isError;
  }));
  assert.deepEqual(failures, [false, false, true]);
});

Deno.test("callValue() bounds text and data together, and one of them alone", async () => {
  const limits = { ...scriptLimits, valueLength: 1000 };
  const isTooLong = async (length: number, structured?: CallResult["structured"]) => {
    const result = { ...textResult("x".repeat(length)), structured };
    return (await callValue(result as CallResult, undefined, { limits })).isError;
  };
  const data = { a: "x".repeat(392) };
  assert.deepEqual([await isTooLong(1000), await isTooLong(1001)], [false, true]);
  assert.deepEqual([await isTooLong(600, data), await isTooLong(601, data)], [false, true]);
});

unix.test("script_run makes calls and returns what the script does", async () => {
  const { text, isError } = await runOf(
    `const all2 = await all(["a", "b"].map((word) => () => call("echo_read", {word})));
     return all2.map(({text}) => text.trim())`,
  );
  assert.deepEqual([text, isError], ['["a","b"]', false]);
  assert.equal((await runOf(`log("seen"); return "plain"`)).text, "plain\n\n[log]\nseen");
  assert.equal((await runOf("return input.n + 1", { args: { input: { n: 1 } } })).text, "2");
});

unix.test("each call of a script has its entry in the audit log, with its parent", async () => {
  const { entries } = await runOf(
    `await call("echo_read", {word: "a"}); await call("nothing", {}).catch(() => {}); return 1`,
  );
  const [read, unknown, script] = entries;
  assert.equal(entries.length, 3);
  assert.equal(script?.["tool"], "script_run");
  assert.match(String(script?.["sha256"]), /^[0-9a-f]{64}$/);
  assert.equal(script?.["parent"], undefined);
  assert.equal(script?.["ending"], "returned");
  assert.deepEqual(read?.["argv"], ["echo", "a"]);
  for (const entry of [read, unknown]) {
    assert.equal(entry?.["parent"], script?.["script"]);
    assert.equal(entry?.["client"], "tester");
  }
  assert.equal(unknown?.["rule"], "unknown tool");
});

unix.test("a failure says what the script has done until then", async () => {
  const { text, isError } = await runOf(
    `await call("echo_read", {word: "a"}); await call("echo_write", {word: "b"});\nnull.x`,
  );
  assert.equal(isError, true);
  assert.match(text, /^Script failed: TypeError: .*\n {2}at .*script\.js:2:/);
  assert.match(text, /\[2 calls made; these may have changed something: echo_write 1×\]$/);
  const deep = `const f = (n) => { if (n === 0) null.x; f(n - 1) }; f(5)`;
  assert.equal((await runOf(deep)).text.split("script.js:").length - 1, 3);
  for (const none of ["null.x", `await call("echo_write", {})`]) {
    assert.match((await runOf(none)).text, /\[0 calls made; none of them changes anything\]$/);
  }
});

unix.test("the log has the first line of an error, without outputs and secrets", async () => {
  const secret = { tools: { script_run: { args: { code: { secret: true } } } } };
  const failures: readonly [code: string, error: string | undefined, policy?: object][] = [
    [`throw new Error("one\\ntwo")`, "one"],
    [`await call("shell", {script: "echo 0ut; exit 3"})`, `shell {"script":"echo 0ut; exit 3"}`],
    [
      `const a = await call("shell", {script: "echo 0ut >&2; exit 3"}).catch((e) => e)
      throw new Error(a.message + 1)`,
      `shell {"script":"echo 0ut >&2; exit 3"}`,
    ],
    [`throw new Error("one")`, undefined, { default: "enabled", ...secret }],
  ];
  for (const [code, error, policy] of failures) {
    const { entries } = await runOf(code, policy && { policy });
    assert.deepEqual(entries.map((entry) => entry["error"]).at(-1), error);
  }
});

unix.test("a tool that the policy took away is one that never was", async () => {
  const policy = { tools: { echo_read: {}, script_run: {} } };
  const code = (name: string) =>
    `const found = []; try { await call("${name}", {word: "a"}) } catch (error) { found.push(error.message) }
     found.push((await search("${name}")).map(({name}) => name)); return found`;
  const denied = await runOf(code("echo_write"), { policy });
  const never = await runOf(code("echo_never"), { policy });
  assert.equal(denied.text.replaceAll("echo_write", "echo_never"), never.text);
  assert.match(never.text, /^\["Unknown tool: echo_never/);
});

const confirming = { default: "enabled", confirm: "write", tools: { script_run: {} } };

unix.test("a script is asked about once, and then runs again with exactly those calls", async () => {
  const policy = confirming;
  const code =
    `const {text} = await call("echo_read", {word: "a"}); return await all(["b", "c"].map((word) => () => call("echo_write", {word: text.trim() + word})));`;
  const { text, questions, entries } = await runOf(code, { policy, says: yes });
  assert.equal(text, '[{"text":"ab\\n"},{"text":"ac\\n"}]');
  const call = (at: number, word: string) =>
    `${at}. echo_write: ${word}\necho_write (write) in the directory ${Deno.cwd()}\n` +
    `Exactly this runs:\n["echo","${word}"]`;
  assert.deepEqual(questions, [
    "Run a script that makes 2 calls: echo_write 2×\n" +
    "An agent wants to call script_run. These of its calls change something:\n" +
    `${call(1, "ab")}\n${call(2, "ac")}\nThe script:\n| ${code}\n` +
    "Exactly these calls are made, by:\n| script_run",
  ]);
  assert.deepEqual(entries.map(({ tool, confirmation }) => [tool, confirmation]), [
    ["echo_read", undefined],
    ["echo_read", undefined],
    ["echo_write", "accepted"],
    ["echo_write", "accepted"],
    ["script_run", "accepted"],
  ]);
  const calls = entries.at(-1)!["calls"] as { readonly argv: unknown }[];
  assert.deepEqual(calls.map(({ argv }) => argv), [["echo", "ab"], ["echo", "ac"]]);
  const declined = await runOf(code, { policy, says: { action: "decline" } });
  assert.match(
    declined.text,
    /^Call refused: the person declined it\n[^]*\[2 calls of the script not made\]$/,
  );
  assert.deepEqual(declined.entries.map(({ tool }) => tool), ["echo_read", "script_run"]);
  const unasked = await runOf(code, { policy });
  assert.match(unasked.text, /^Call refused: this tool requires confirmation/);
  // A policy can have the script itself asked about, too
  const whole = { ...policy, tools: { script_run: { confirm: true } } };
  const { questions: [first] } = await runOf("return 42", { policy: whole, says: yes });
  assert.match(
    first!,
    /^Run JavaScript that[^]*\nThe script:\n\| return 42\nExactly this runs:\nscript_run$/,
  );
});

/** Scripts that do something else once the person has agreed, and the calls of each question. */
const changing: readonly [
  what: string,
  code: string,
  questions: readonly (readonly string[])[],
  policy?: object,
][] = [
  [
    "a call that its trial did not make",
    `const {text} = await write("a"); if (!text.startsWith("[trial")) await write("evil")`,
    [["a"], ["evil"]],
  ],
  [
    "another argument",
    `const {text} = await write("a"); await write(text.startsWith("[trial") ? "b" : "evil")`,
    [["a", "b"], ["evil"]],
  ],
  [
    "the same call more often",
    `const {text} = await write("a"); if (!text.startsWith("[trial")) await write("a")`,
    [["a"], ["a"]],
  ],
  [
    "what it reads",
    `const {text} = await call("shell", {script: "echo >> $HOME/n; wc -l < $HOME/n"}); await write("w" + text.trim())`,
    [["w1"], ["w2"]],
  ],
  [
    "a write that nobody asks about, first",
    `await call("free", {word: "f"}); await write("a"); await write("b")`,
    [["a"], ["b"]],
  ],
  [
    "a write that nobody asks about, in between",
    `const {text} = await write("a"); if (!text.startsWith("[trial")) await call("free", {word: "evil"}); await write("b")`,
    [["a", "b"], ["evil"]],
  ],
  [
    "a secret value",
    `const {text} = await write("a"); await call("hush", {word: text.startsWith("[trial") ? "b" : "evil"})`,
    [["a", "\\*{3}"], ["\\*{3}"]],
  ],
  [
    "the order",
    `const {text} = await write("a"); await write("b"); await write(text.startsWith("[trial") ? "c" : "d"); await write("c")`,
    [["a", "b", "c", "c"], ["d"]],
  ],
  [
    "calls left out",
    `const {text} = await write("a"); if (text.startsWith("[trial")) await write("b"); await write("c")`,
    [["a", "b", "c"], ["c"]],
  ],
  ["times and chance", `await write(String(Date.now()) + Math.random())`, [["\\d+\\.\\d+"]]],
];

for (const [what, code, expected] of changing) {
  unix.test(`a yes to a script is for the calls that were shown: ${what}`, async () => {
    await using home = await scratch();
    using _ = withVariables({ HOME: home.path });
    const free = { name: "free", command: "echo", effect: "write", args: [word] };
    const hush = { name: "hush", command: "echo", effect: "write", args: [word] };
    const rules = { free: { confirm: false }, hush: { args: { word: { secret: true } } } };
    const policy = policyOf({ ...confirming, tools: { "*": {}, ...rules } });
    await using session = await sessionOf({ tools: [...config.tools, free, hush] }, {
      scripts: true,
      policy,
    });
    const questions: string[] = [];
    const ask = (question: Question) => {
      questions.push(question.message);
      return Promise.resolve(questions.length === 1 ? yes : { action: "decline" } as const);
    };
    const text = `const write = (word) => call("echo_write", {word}); ${code}`;
    await run(session, text, { ask });
    assert.equal(questions.length, expected.length, questions.join("\n---\n"));
    for (const [at, words] of expected.entries()) {
      const lines = questions[at]!.split("\n").filter((line) => line.startsWith('["echo"'));
      assert.match(
        lines.join(),
        new RegExp(`^${words.map((each) => `\\["echo","${each}"\\]`).join()}$`),
      );
    }
  });
}

unix.test("a script of many calls is asked about in a line for each, and its calls may need each other", async () => {
  const code = `for (let n = 0; n < 60; n++) await call("echo_write", {word: "x".repeat(100) + n})`;
  const { questions: [question], text } = await runOf(code, { policy: confirming, says: yes });
  assert.match(
    question!,
    /\n60\. echo_write: "?x{100}\.{3}"?: echo_write: \["echo","x{100}59"\]\nThe script:\n/,
  );
  assert.equal(text, "null");
  await using dir = await scratch();
  const tools = [
    { name: "mkdir", command: "mkdir", effect: "write", args: [word] },
    {
      name: "put",
      command: "sh -c",
      argv: [
        '[ -d "$0" ] || { echo no such folder; exit 1; }; [ "$1" = -n ] || echo > "$0/f"',
        "{word}",
        "{dry?}",
      ],
      effect: "write",
      confirm_with: "dry",
      args: [word, { name: "dry", type: "boolean", flag: "-n" }],
    },
  ];
  await using session = await sessionOf({ working_dir: dir.path, tools }, {
    scripts: true,
    policy: policyOf(confirming),
  });
  let count = 0;
  const ask = () => Promise.resolve((count++, yes));
  const put = `(await call("put", {word: "d"})).text`;
  // What fails now is not asked about
  assert.match(
    (await run(session, `return ${put}`, { ask })).text,
    /put \{"word":"d"\}: Call not made, since its dry run fails: no such/,
  );
  assert.equal(count, 0);
  const { text: done } = await run(session, `await call("mkdir", {word: "d"}); ${put}`, { ask });
  assert.deepEqual([done, count, Deno.statSync(join(dir.path, "d/f")).isFile], ["null", 1, true]);
});

unix.test("a yes to a script is for the losses that were shown", async () => {
  await using dir = await scratch();
  const lose = {
    name: "lose",
    command: "sh -c",
    argv: ['cat n; [ "$1" = -n ] || echo "$0" >> n', "{word}", "{dry?}"],
    effect: "destructive",
    confirm_with: "dry",
    args: [word, { name: "dry", type: "boolean", flag: "-n" }],
  };
  const file = join(dir.path, "n");
  Deno.writeTextFileSync(file, "");
  await using session = await sessionOf({ working_dir: dir.path, tools: [lose] }, {
    scripts: true,
    policy: policyOf(confirming),
  });
  const code = `for (const word of ["a", "b"]) await call("lose", {word})`;
  let count = 0;
  const ask = () => Promise.resolve(count++ === 0 ? yes : { action: "decline" } as const);
  const first = await run(session, code, { ask });
  assert.match(first.text, /declined/);
  assert.deepEqual([count, Deno.readTextFileSync(file)], [2, "a\n"]);
  const meanwhile = () => {
    Deno.writeTextFileSync(file, "more");
    return Promise.resolve(yes);
  };
  const changed = await run(session, code.replace('"a", "b"', '"c", "d"'), { ask: meanwhile });
  assert.match(changed.text, /^Call refused: what its calls would do has changed[^]*2 calls of/);
  assert.equal(Deno.readTextFileSync(file), "more");
});

unix.test("a dry run shows one list, and runs exactly that after a yes", async () => {
  const code = `const {text} = await call("echo_read", {word: "a"});
    const got = []; for (const word of ["b", "c"]) got.push((await call("echo_write", {word: text.trim() + word})).text);
    return got`;
  const options = { args: { dry_run: true } };
  const agreed = await runOf(code, { ...options, says: yes });
  assert.match(agreed.questions.join(), /^Run a script that makes 2 calls: echo_write 2×\n/);
  assert.equal(agreed.text, '["ab\\n","ac\\n"]');
  const declined = await runOf(code, { ...options, says: { action: "decline" } });
  assert.match(
    declined.text,
    /\[dry run\] [^]*declined it[^]*\[2 calls not made\]\n1\. echo_write/,
  );
  assert.deepEqual(declined.entries.map(({ tool }) => tool), ["echo_read", "script_run"]);
  assert.equal(declined.isError, false);
  const alone = await runOf(code, options);
  assert.match(
    alone.text,
    /\[dry run: this client cannot ask a person\]\n\[2 calls not made\]\n1\. /,
  );
  const nothing = await runOf("return 1", { ...options, says: yes });
  assert.deepEqual([nothing.text, nothing.questions], [
    "1\n\n[dry run: nothing would be changed]",
    [],
  ]);
  // Nothing but what was shown
  const other =
    `const {text} = await call("echo_write", {word: "a"}); await call("echo_write", {word: text.startsWith("[trial") ? "b" : "c"})`;
  assert.match(
    (await runOf(other, { ...options, says: yes })).text,
    /what would be run has changed[^]*1 were not made\]$/,
  );
});

unix.test("a script gets the whole of a result, or an error, and what it returns is bounded", async () => {
  const outputs = new Outputs();
  const long =
    `const {text} = await call("shell", {script: "seq 1 100000"}); return text.trim().split("\\n").length`;
  assert.equal((await runOf(long, { outputs })).text, "100000");
  const lost = await runOf(long);
  assert.match(
    lost.text,
    /^Script failed: shell \{.*\}: The output is longer than what is kept of one/,
  );
  const large = `return (await call("shell", {script: "seq 1 100000"})).text`;
  const bounded = await runOf(large, { outputs });
  assert.match(bounded.text, /lines?, [\d,]+ bytes omitted: output_read/);
  assert.ok(bounded.text.length < 100_000);
  outputs.close();
});

unix.test("calls that a script does not wait for are cancelled", async () => {
  const code =
    `void call("shell", {script: "sleep 600"}).catch(() => {}); await call("echo_read", {word: "a"}); return 1`;
  for (const args of [{}, { dry_run: true }]) {
    const { text, entries } = await runOf(code, { args });
    assert.equal(text.split("\n")[0], "1");
    assert.equal(entries.find(({ tool }) => tool === "shell")?.["ending"], "cancelled");
  }
});

unix.test("a client runs one script at a time, and its others wait", async () => {
  await using dir = await scratch();
  await using session = await open(dir.path, {});
  const code = (word: string) =>
    `await call("echo_read", {word: "${word}1"}); await call("echo_read", {word: "${word}2"})`;
  await Promise.all(["a", "b", "c"].map((word) => run(session, code(word), { owner: "one" })));
  const lines = Deno.readTextFileSync(join(dir.path, "audit.jsonl")).trim().split("\n");
  const words = lines.map((line) => JSON.parse(line).argv?.[1]).filter((each) =>
    each !== undefined
  );
  assert.deepEqual(words, ["a1", "a2", "b1", "b2", "c1", "c2"]);
});

unix.test("a policy may hold all scripts to an effect, and then serves them with the tools of it", async () => {
  const policy = {
    default: "enabled",
    effects: ["read"],
    tools: { script_run: { effect: "read" } },
  };
  const read = await runOf('return (await call("echo_read", {word: "a"})).text.trim()', { policy });
  assert.equal(read.text, "a");
  const only = { default: "enabled", tools: { script_run: { effect: "read" } } };
  for (const name of ["echo_write", "mcp__climax__Echo-Write"]) {
    const write = await runOf(`await call("${name}", {word: "a"})`, { policy: only });
    assert.match(
      write.text,
      /the effect of this script is 'read' at most, and that of 'echo_write' is 'write'/,
    );
  }
});

unix.test("a script is held to its effect by each name that reaches a tool", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "kept.txt");
  await Deno.writeTextFile(file, "kept");
  using _ = withDirectory(dir.path);
  const policy = policyOf({ default: "enabled", tools: { script_run: { effect: "read" } } });
  const configs = ["files", "files-write"];
  await using session = await openSession({ configs, policy, scripts: true });
  const calls = [
    ...["files_delete", "filesDelete", "mcp__climax__delete_files", "remove", "rm"].map((name) => {
      return `"${name}", {paths: ["kept.txt"]}`;
    }),
    '"files", {command: "remove", paths: ["kept.txt"]}',
    '"kill_shell", {shell_id: "j000000000000"}',
  ];
  for (const each of calls) {
    const { text } = await run(session, `await call(${each})`);
    assert.match(text, /effect of this script is 'read' at most|Unknown tool/, each);
    assert.equal(await Deno.readTextFile(file), "kept");
  }
  const { text } = await run(session, `await call(${calls[0]})`);
  assert.match(text, /at most, and that of 'files_remove' is 'destructive'/);
});

unix.test("the effect that a policy writes holds scripts, whatever else is loaded", async () => {
  const code = 'return (await call("echo_read", {word: "a"})).text.trim()';
  const refused = /the effect of this script is '\w+' at most, and that of 'echo_read' is/;
  // The worst effect that the config has is "write"
  for (const [effect, raised] of [["read", "write"], ["write", "destructive"]] as const) {
    const tools = { script_run: { effect }, echo_read: { effect: raised } };
    assert.match((await runOf(code, { policy: { default: "enabled", tools } })).text, refused);
    const within = { ...tools, echo_read: { effect } };
    assert.equal((await runOf(code, { policy: { default: "enabled", tools: within } })).text, "a");
  }
});

unix.test("a script is held to its effect for resources and prompts too", async () => {
  const reads: [call: string, text: RegExp][] = [
    ['"resource:note://shared"', /^note:\/\/shared of one/],
    ['"resource:note://unlisted"', /^note:\/\/unlisted of one/],
    ['"resource:note://item/{id}", {id: "5"}', /^note:\/\/item\/5 of one/],
    ['"prompt:one__review", {language: "C"}', /^Review C for one/],
  ];
  for (const effect of ["destructive", "read"]) {
    const tools = {
      script_run: { effect: "read" },
      "resource:*": { effect },
      "prompt:*": { effect },
    };
    const policy = { file: "policy.yaml", text: JSON.stringify({ default: "enabled", tools }) };
    await using session = await openServers([featured("one")], { policy, scripts: true });
    for (const [words, expected] of reads) {
      const code = `return (await call(${words})).text`;
      for (const args of [{}, { dry_run: true }]) {
        const { text } = await run(session, code, {}, args);
        assert.match(text, effect === "read" ? expected : /'read' at most, .* 'destructive'/);
      }
    }
  }
});

unix.test("no script runs a script", async () => {
  const { text } = await runOf('return (await call("script_run", {code: "1"})).text');
  assert.match(text, /Call refused: a script does not run a script/);
});

unix.test("a script of a sub-agent calls what its group has, and nothing else", async () => {
  await using dir = await scratch();
  await using session = await open(dir.path, {});
  const code = 'return (await call("echo_read", {word: "x"})).text';
  const text = async (...names: string[]) => {
    const tools = session.index.tools.filter(({ name }) => names.includes(name));
    const { context } = narrowContext(session, { make: () => new ToolIndex(tools) });
    return answerOf(await call(context, { tool: "script_run", args: { code } })).text;
  };
  assert.equal(await text("script_run", "echo_read"), "x\n");
  assert.match(await text("script_run"), /Unknown tool: echo_read/);
});

unix.test("arguments of scripts that a policy calls secret are in no log and no question", async () => {
  const secrets = [["code"], ["input"], ["code", "input"], []];
  for (const names of secrets) {
    const args = Object.fromEntries(names.map((name) => [name, { secret: true }]));
    const { text, entries, questions } = await runOf("return input.x + '-CODE'", {
      policy: { default: "enabled", tools: { script_run: { confirm: true, args } } },
      args: { input: { x: "INPUT" } },
      says: yes,
    });
    assert.equal(text, "INPUT-CODE");
    const seen = JSON.stringify([entries, questions]);
    assert.equal(seen.includes("INPUT"), !names.includes("input"), seen);
    assert.equal(seen.includes("-CODE"), !names.includes("code"), seen);
  }
});
unix.test("an exit code with a meaning is a value for a script", async () => {
  await using session = await sessionOf({
    tools: [{ name: "shell", effect: "read", ...shellTool, exit_codes: { 1: "nothing matched" } }],
  }, { scripts: true });
  const code = `return (await call("shell", {script: "exit 1"})).text`;
  assert.deepEqual(await run(session, code), { text: "nothing matched", isError: false });
});

const json = `echo '{"items":[{"name":"a"},{"name":"b"}]}'`;
const hint = /\nA script has no modules: call\(tool, args\) calls a tool/;

/** Scripts, and what an agent reads of their endings. */
const endings: readonly (readonly [code: string, text: RegExp, options?: RunOptions])[] = [
  [`return (await call("echo_read", {word: "a"})).text.trim()`, /^a$/],
  [`console.log("a", {b: 1}); console.error("c"); return 1`, /^1\n\n\[log\]\na \{"b":1\}\nc$/],
  [
    `await call("echo_read", {})`,
    /^Script failed: echo_read \{\}: .*:\n {2}- Missing required argument 'word'\n\nTakes: echo_read\(word\)\n/,
  ],
  [`await call("echo_read", 3)`, /^Script failed: echo_read: /],
  [
    `await call("echo_read", {word: "a", other: 1})`,
    /Unknown argument 'other'\n\nTakes: echo_read\(word\)\n/,
  ],
  [
    `await call("shell", {script: "echo out; exit 3"})`,
    /^Script failed: shell \{"script":"echo out; exit 3"\}: out\n\n\[exit code: 3\]\n/,
  ],
  [
    `await call("shell", {script: "exit 3", x: "y".repeat(1e4)})`,
    /^Script failed: shell \{"script":"\*\*\*","x":"y{179}…: /,
    {
      policy: {
        default: "enabled",
        tools: { shell: { args: { script: { secret: true } } }, "echo_*": {}, script_run: {} },
      },
    },
  ],
  [`await call()`, /^Script failed: call\(\) takes the name of a tool/],
  [`await call("x", {}, {select: 3})`, /^Script failed: 'select' is a JSONPath/],
  [`await search()`, /^Script failed: search\(\) takes a query/],
  [
    `const {text, data} = await call("shell", {script: ${JSON.stringify(json)}},
       {select: "$.items[*].name"}); return [text, data]`,
    /^\["\\"a\\"\\n\\"b\\"",\["a","b"\]\]$/,
  ],
  [
    `await call("shell", {script: "echo x"}, {select: "$.a"})`,
    /^Script failed: shell \{.*\}: 'select' needs JSON: /,
  ],
  [
    `await call("shell", {script: "echo {}"}, {select: "$["})`,
    /^Script failed: shell \{.*\}: 'select' cannot be followed: /,
  ],
  [`import x from "y"`, hint],
  [`await import("y")`, hint],
  [`null.x // import()`, /^(?![^]*no modules)/],
  [
    `for (let n = 0; n < 9; n++) await call("echo_write", {word: "x".repeat(1e6)})`,
    /^Script failed: .*: A script changes things by 4194304 characters [^]*\[4 calls not made\]/,
    { args: { dry_run: true } },
  ],
];

for (const [code, text, options] of endings) {
  unix.test(`an agent reads how this script ends: ${code.slice(0, 70)}`, async () => {
    assert.match((await runOf(code, options)).text, text);
  });
}

unix.test("the effect of script_run is the worst that it may call", async () => {
  await using session = await sessionOf(config, { scripts: true });
  assert.equal(session.index.get("script_run")?.effect, "write");
  const reads = { command: "echo", tools: [{ name: "echo_read", effect: "read", args: [word] }] };
  await using other = await sessionOf(reads, { scripts: true });
  assert.equal(other.index.get("script_run")?.effect, "read");
});
