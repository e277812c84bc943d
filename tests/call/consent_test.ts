/** Calls that a person has to agree to: what is asked, what counts as a yes, what is written down. */

import assert from "node:assert/strict";
import { sha256 } from "../../src/text/hash.ts";
import { canonicalJson } from "../../src/text/own_property.ts";
import { join } from "node:path";
import { call } from "../../src/call/call.ts";
import { consentOf, planText } from "../../src/call/consent.ts";
import { prepareCall } from "../../src/call/prepare.ts";
import type { CallOptions } from "../../src/call/pipeline.ts";
import { openSession, type Session, type SessionOptions } from "../../src/session/session.ts";
import { type CallResult, textOf } from "../../src/tool/result.ts";
import type { Answer, Ask, Question } from "../../src/tool/runner.ts";
import { sessionOf } from "../_session.ts";
import { FakeClock } from "../_clock.ts";
import { configThing } from "../../src/sources/command/own_configs.ts";
import { accept } from "../../src/trust/accepted.ts";
import { withDirectory, withVariables } from "../_io.ts";
import { until } from "../_wait.ts";
import { scratch } from "../e2e/_scratch.ts";
import { unix } from "../_requirements.ts";
import { toolOf } from "../_tools.ts";

interface Scene {
  readonly session: Session;
  readonly dir: string;
  /** Calls the tool with an `ask` that answers so. */
  run(answer: Answer | undefined, args?: object, tool?: string): Promise<CallResult>;
  readonly asked: Question[];
  /** Whether the tool has run. */
  ran(): Promise<boolean>;
  entries(): Promise<Record<string, unknown>[]>;
}

const tools = [
  {
    name: "drop",
    command: "sh -c",
    argv: ['echo "$0" "$1" >> ran; cat', "{what}", "{more?}"],
    effect: "destructive",
    confirm_message: "Really drop {what}, {secret} and {nothing}?",
    args: [
      { name: "what", required: true },
      { name: "more" },
      { name: "secret", stdin: true },
      { name: "dir", cwd: true },
    ],
  },
  { name: "look", command: "echo", effect: "read" },
  {
    name: "save",
    command: "sh -c",
    argv: ['cat state; [ "$0" = "--dry-run" ] || echo >> ran', "{dry_run?}"],
    effect: "destructive",
    confirm_with: "dry_run",
    args: [{ name: "dry_run", type: "boolean", flag: "--dry-run" }],
  },
];

async function scene(
  use: (scene: Scene) => Promise<void>,
  policy: object = { default: "enabled", confirm: "destructive" },
  more: object = {},
  calls: SessionOptions["calls"] = {},
): Promise<void> {
  await using dir = await scratch();
  const audit = join(dir.path, "audit.jsonl");
  const options = { policy: { file: "policy.yaml", text: JSON.stringify(policy) }, audit, calls };
  await using session = await sessionOf({ working_dir: dir.path, tools, ...more }, options);
  const asked: Question[] = [];
  await use({
    session,
    dir: dir.path,
    asked,
    run(answer, args = { what: "a b" }, tool = "drop") {
      const ask: Ask | undefined = answer && ((question) => {
        asked.push(question);
        return Promise.resolve(answer);
      });
      return call(session, { tool, args }, { ask, client: "test" });
    },
    ran: () => Deno.stat(join(dir.path, "ran")).then(() => true, () => false),
    entries: async () => {
      const lines = (await Deno.readTextFile(audit)).trimEnd().split("\n");
      return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
    },
  });
}

/** A person has agreed to the plan of one call. */
function exactly(text: string | undefined): CallOptions["agreed"] {
  const hash = sha256(canonicalJson([text ?? null, {}]));
  return { isExact: true, left: 1, take: (other) => other === hash };
}

const yes: Answer = { action: "accept", content: { run: true } };

unix.test("a call runs after a yes, and the question shows all that is run", () =>
  scene(async ({ run, asked, ran, entries, dir }) => {
    const result = await run(yes, { what: "a b", secret: "in\nput" });
    assert.deepEqual([textOf(result), result.isError], ["in\nput", false]);
    assert.equal(await ran(), true);
    assert.deepEqual(asked, [{
      mode: "form",
      message: `Really drop "a b", "in\\nput" and {nothing}?\n` +
        `An agent wants to call drop (destructive) in the directory ${dir}\n` +
        "On its standard input:\n| in\n| put\n" +
        `Exactly this runs:\n["sh","-c","echo \\"$0\\" \\"$1\\" >> ran; cat","a b"]`,
      requestedSchema: {
        type: "object",
        properties: {
          run: { type: "boolean", title: "Run it", description: "Yes runs exactly this, once" },
        },
        required: ["run"],
      },
    }]);
    const [entry] = await entries();
    assert.deepEqual(
      [entry!["decision"], entry!["rule"], entry!["confirmation"], entry!["ending"]],
      ["allowed", "default: enabled", "accepted", "exited"],
    );
    assert.equal(typeof entry!["confirmation_ms"], "number");
  }));

const refusals: readonly [
  what: string,
  answer: Answer | undefined,
  text: RegExp,
  confirmation: string,
][] = [
  [
    "no",
    { action: "decline" },
    /^Call refused: the person declined it$/,
    "declined",
  ],
  [
    "nothing",
    { action: "cancel" },
    /^Call refused: the person closed the question without an answer$/,
    "cancelled",
  ],
  [
    "yes without the yes",
    { action: "accept" },
    /^Call refused: the person did not say yes$/,
    "declined",
  ],
  [
    "a yes that is no boolean",
    { action: "accept", content: { run: "true" } },
    /did not say yes$/,
    "declined",
  ],
  [
    "a yes to nothing",
    { action: "accept", content: { ok: true } },
    /did not say yes$/,
    "declined",
  ],
  [
    "nothing, for nobody was asked",
    { action: "unasked", reason: "the request failed: gone" },
    /^Call refused: this tool requires confirmation, and the request failed: gone$/,
    "not asked",
  ],
  [
    "nothing, for the client cannot ask",
    undefined,
    /^Call refused: this tool requires confirmation, and the client does not support elicitation\nAn operator can allow it with 'confirm: false' for 'drop' in the policy/,
    "not asked",
  ],
];

for (const [what, answer, text, confirmation] of refusals) {
  unix.test(`a call that has to be confirmed is refused when the person says ${what}`, () =>
    scene(async ({ run, ran, entries }) => {
      const result = await run(answer);
      assert.match(textOf(result), text);
      assert.deepEqual([result.isError, await ran()], [true, false]);
      const [entry] = await entries();
      assert.deepEqual(
        [entry!["decision"], entry!["rule"], entry!["confirmation"], entry!["ending"]],
        ["refused", "default: enabled.confirm", confirmation, undefined],
      );
      assert.deepEqual((entry!["argv"] as string[]).at(-1), "a b");
    }));
}

unix.test("a call is asked about only after it has passed everything else", () =>
  scene(async ({ run, asked }) => {
    assert.match(textOf(await run(yes, {})), /^Argument validation failed/);
    assert.equal(textOf(await run(yes, { what: "long" })).startsWith("Policy validation"), true);
    assert.equal(textOf(await run(undefined, {}, "look")), "(no output)");
    assert.deepEqual(asked, []);
  }, {
    default: "enabled",
    confirm: "write",
    tools: { drop: { args: { what: { max_length: 3 } } } },
  }));

unix.test("a question shows what would not be seen, and hides what is secret", () =>
  scene(async ({ run, asked }) => {
    await run({ action: "decline" }, {
      what: "a\u202eb\u200b\u00a0c",
      more: "x",
      secret: "s3cret",
    });
    const { message } = asked[0]!;
    assert.match(message, /"a\\u\{202e\}b\\u\{200b\}\\u\{a0\}c","x"\]/);
    assert.match(message, / \*\*\* and[^]*On its standard input:\n\| \*\*\*\n/);
    assert.doesNotMatch(message, /s3cret|\u202e/);
  }, {
    default: "enabled",
    confirm: "write",
    tools: { drop: { args: { secret: { secret: true } } } },
  }));

unix.test("a call is checked again when the person has agreed", () =>
  scene(
    async ({ session, dir, ran }) => {
      await Deno.mkdir(join(dir, "place"));
      const ask: Ask = async () => {
        await Deno.remove(join(dir, "place"));
        await Deno.symlink("/", join(dir, "place"));
        return yes;
      };
      const result = await call(session, { tool: "drop", args: { what: "a", dir: "place" } }, {
        ask,
      });
      assert.match(textOf(result), /^Argument validation failed:\n.*'place' (?:lies|leads) /);
      assert.deepEqual([result.isError, await ran()], [true, false]);
    },
    undefined,
    {
      tools: [{
        ...tools[0],
        args: [...tools[0]!.args!.slice(0, 3), { name: "dir", cwd: true, within: "." }],
      }],
    },
  ));

/** A session over the config that `write` writes, with a policy, both of which it takes over. */
async function withFiles(
  use: (place: {
    readonly session: Session;
    readonly dir: string;
    write(policy: object, command?: string): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  await using place = await scratch();
  const dir = place.path;
  const [config, policy] = [join(dir, "c.yaml"), join(dir, "p.yaml")];
  const write = async (rules: object, command = "echo") => {
    const tool = {
      name: "say",
      effect: "write",
      command,
      args: [{ name: "word", positional: true }],
    };
    const trial = { name: "dry_run", type: "boolean", flag: "--dry-run" };
    const trying = {
      ...{ ...tool, name: "try", confirm_with: "dry_run" },
      args: [...tool.args, trial],
    };
    const tools = [tool, trying];
    await Deno.writeTextFile(config, JSON.stringify({ name: "c", command: "", tools }));
    await Deno.writeTextFile(policy, JSON.stringify({ default: "enabled", ...rules }));
  };
  await write({ confirm: "write" });
  const calls = { concurrency: 1 };
  const audit = join(dir, "audit.jsonl");
  await using session = await openSession({ configs: [config], policy, audit, watch: true, calls });
  await use({ session, dir, write });
}

unix.test("a call that was agreed to is held by the policy that is there by then", () =>
  withFiles(async ({ session, write }) => {
    const request = { tool: "say", args: { word: "old" } };
    const changedTo = (...to: Parameters<typeof write>): Ask => async () => {
      await write(...to);
      await session.gate.refresh?.();
      return yes;
    };
    const confirm = "write";
    const refused = /^Call refused: the config or the policy changed while the call was waiting\n/;
    // What the person saw is not what would be run now, and what was shown is not allowed now
    let ask = changedTo({ confirm, tools: { say: { args: { word: { value: "new" } } } } });
    assert.match(textOf(await call(session, request, { ask })), /Unknown argument 'word'/);
    await write({ confirm });
    ask = changedTo({ confirm }, "printf");
    assert.match(textOf(await call(session, request, { ask })), refused);
    // One UUID that the call has in place of another
    const uuid = (first: string) => `${first}0000000-0000-4000-8000-000000000000`;
    const withUuid = (first: string) => {
      return { confirm, tools: { say: { args: { word: { value: uuid(first) } } } } };
    };
    await write(withUuid("a"));
    ask = changedTo(withUuid("b"));
    assert.match(textOf(await call(session, { tool: "say" }, { ask })), refused);
    await write(withUuid("a"));
    ask = changedTo({ ...withUuid("a"), deny: ["try"] });
    assert.equal(textOf(await call(session, { tool: "say" }, { ask })), uuid("a"));
    // What does not concern it stops nothing
    await write({ confirm });
    ask = changedTo({ confirm, deny: ["try"] });
    assert.equal(textOf(await call(session, request, { ask })), "old");
    await write({ confirm });
    ask = changedTo({ confirm, deny: ["say"] });
    assert.equal(textOf(await call(session, { ...request, tool: "try" }, { ask })), "old");
  }));

unix.test("a call that waits for a place is held by the policy that is there by then", () =>
  withFiles(async ({ session, dir, write }) => {
    await write({});
    const place = await session.semaphore.acquire();
    const waiting = ["a", "b"].map((word) => call(session, { tool: "say", args: { word } }));
    const asking = call(session, { tool: "say", args: { word: "c" } }, {
      ask: () => Promise.resolve(yes),
    });
    const stop = new AbortController();
    const cancelled = call(session, { tool: "say", args: { word: "d" } }, { signal: stop.signal });
    await until(() => session.semaphore.waiting === 4, "four that wait");
    await write({ tools: { say: { args: { word: { pattern: "b|c" } } } } });
    await session.gate.refresh?.();
    stop.abort();
    assert.match(textOf(await cancelled), /Command was cancelled/);
    (place as () => void)();
    const [a, b] = await Promise.all(waiting);
    assert.match(textOf(a!), /^Policy validation failed:\n.*'a' does not match/);
    assert.deepEqual([textOf(b!), textOf(await asking)], ["b", "c"]);
    const audit = await Deno.readTextFile(join(dir, "audit.jsonl"));
    const entries = audit.trimEnd().split("\n").map((line) => JSON.parse(line));
    const { refused: [refused] = [], allowed } = Object.groupBy(
      entries,
      ({ decision }) => decision,
    );
    assert.match(refused.refusal, /^Policy validation failed:\n.*'a' does not match/);
    assert.deepEqual([refused.rule, allowed!.length], ["tools.say.args.word.pattern", 3]);
  }));

const changes: readonly [what: string, policy: object | undefined, refusal: RegExp][] = [
  ["cannot be read", undefined, /^Call refused: the policy '.*p\.yaml' cannot be read any more/],
  ["asks a person", { confirm: "write" }, /^Call refused: the config or the policy changed while/],
];

for (const [what, policy, refusal] of changes) {
  unix.test(`a call that waits for a place is refused if the policy ${what} by then`, () =>
    withFiles(async ({ session, dir, write }) => {
      await write({});
      const release = await session.semaphore.acquire() as () => void;
      const waiting = call(session, { tool: "say" }, { ask: () => Promise.resolve(yes) });
      await until(() => session.semaphore.waiting === 1, "the call that waits");
      await (policy === undefined ? Deno.remove(join(dir, "p.yaml")) : write(policy));
      await session.gate.refresh?.();
      release();
      assert.match(textOf(await waiting), refusal);
    }));
}

unix.test("a call that waits for a person takes no place and none of its own time", async () => {
  await using dir = await scratch();
  const clock = new FakeClock();
  const policy = {
    file: "p",
    text: JSON.stringify({ default: "enabled", confirm: "destructive" }),
  };
  await using session = await sessionOf(
    { working_dir: dir.path, tools: tools.map((tool) => ({ ...tool, timeout: 1 })) },
    { policy, calls: { concurrency: 1 }, clock },
  );
  const answer = Promise.withResolvers<Answer>();
  const asked = Promise.withResolvers<void>();
  const ask: Ask = () => {
    asked.resolve();
    return answer.promise;
  };
  const waiting = call(session, { tool: "drop", args: { what: "a" } }, { ask });
  await asked.promise;
  for (const _ of Array.from({ length: 3 })) {
    assert.equal((await call(session, { tool: "look" })).isError, false);
  }
  // Longer than the tool may take
  await clock.advance(1100);
  answer.resolve(yes);
  assert.deepEqual((await waiting).isError, false);
});

Deno.test("planText() is one for all plans of a call", () => {
  const of = (generated?: string) => {
    const preview = { ...(generated && { generated }), record: {}, line: `run ${generated}` };
    const plan = { ok: true, preview, run: () => Promise.reject() } as const;
    return planText({ tool: toolOf("a"), values: new Map(), plan });
  };
  assert.equal(of("x1"), of("x2"));
  assert.notEqual(of("x1"), of());
});

Deno.test("consentOf() remembers what a person chose, and nothing that is no choice", () => {
  for (const remember of ["session", "always"]) {
    assert.equal(
      consentOf({ action: "accept", content: { run: true, remember } }).remember,
      remember,
    );
  }
  for (const remember of ["once", "ever", undefined]) {
    const { confirmation, ...rest } = consentOf({
      action: "accept",
      content: { run: true, ...remember && { remember } },
    });
    assert.deepEqual([confirmation, rest.remember], ["accepted", undefined]);
  }
});

unix.test("a question shows what the call would do, and a yes holds for that alone", async () => {
  for (const changes of [false, true]) {
    await scene(async ({ session, dir, ran }) => {
      const state = join(dir, "state");
      await Deno.writeTextFile(state, "- old\n+ n\u202eew\n");
      const asked: string[] = [];
      const subjects: (string | undefined)[] = [];
      const ask: Ask = async (question, _signal, subject) => {
        asked.push((question as { message: string }).message);
        subjects.push(subject);
        if (changes) await Deno.writeTextFile(state, "other\n");
        return yes;
      };
      const result = await call(session, { tool: "save" }, { ask, client: "test" });
      assert.match(asked.join(), /\nThis would happen:\n\| - old\n\| \+ n\\u\{202e\}ew\nExactly/);
      assert.equal(await ran(), !changes);
      assert.equal(result.isError, changes);
      // The same yes, in a request of its own
      const [agreed] = subjects;
      const later = await call(session, { tool: "save" }, {
        agreed: exactly(agreed),
        client: "test",
      });
      assert.equal(later.isError, changes);
      if (changes) assert.match(textOf(later), /has changed since the person agreed to it/);
    });
  }
});

unix.test("an answer that comes with a call counts where the policy does not ask any more", () =>
  scene(async ({ session }) => {
    const rows: readonly (readonly [options: CallOptions, text: RegExp])[] = [
      [
        { agreed: exactly("to another") },
        /what would be run has changed since the person agreed to it$/,
      ],
      [{ answer: { action: "decline" } }, /^Call refused: the person declined it\n/],
      [{ answer: yes }, /^\(no output\)$/],
    ];
    for (const [options, text] of rows) {
      assert.match(textOf(await call(session, { tool: "look" }, options)), text);
    }
  }));

unix.test("a call that is a trial itself asks nobody, and a cancelled one says so", () =>
  scene(async ({ session, dir, asked, run, ran }) => {
    await Deno.writeTextFile(join(dir, "state"), "state\n");
    assert.equal(textOf(await run({ action: "decline" }, { dry_run: true }, "save")), "state");
    assert.deepEqual([asked, await ran()], [[], false]);
    const stop = new AbortController();
    const ask: Ask = () => (stop.abort(), Promise.resolve(yes));
    const result = await call(session, { tool: "save" }, { ask, signal: stop.signal });
    assert.match(textOf(result), /Command was cancelled/);
  }));

unix.test("a call has no trial that the policy does not allow", () =>
  scene(async ({ dir, asked, run, ran }) => {
    await Deno.writeTextFile(join(dir, "state"), "state\n");
    assert.equal(textOf(await run(yes, {}, "save")), "state");
    assert.doesNotMatch(asked[0]!.message, /would happen/);
    assert.equal(await ran(), true);
  }, {
    default: "enabled",
    confirm: "write",
    tools: { save: { args: { dry_run: { value: false } } } },
  }));

unix.test("a call does not run if ~ leads elsewhere than what the person saw", () =>
  scene(async ({ session, dir, ran }) => {
    using changes = new DisposableStack();
    changes.use(withVariables({ HOME: dir }));
    const ask: Ask = () => (changes.use(withVariables({ HOME: "/" })), Promise.resolve(yes));
    const args = { what: "a", dir: "~" };
    const result = await call(session, { tool: "drop", args }, { ask });
    assert.match(textOf(result), /changed while the call was waiting/);
    assert.equal(await ran(), false);
  }));

for (
  const [tool, args, own] of [
    ["git_add", { path: ["a.ts"] }, '"git","add","--","a.ts"'],
    ["git_add", { all: true }, '"git","add","--all"'],
    ["git_stash_push", { include_untracked: true }, '"--include-untracked"'],
  ] as const
) {
  Deno.test(`a person can read the question about ${tool} ${JSON.stringify(args)}`, async () => {
    const asked: Question[] = [];
    await using session = await openSession({ configs: ["git"], policy: "ask" });
    const refused = await call(session, { tool, args }, {
      ask(question) {
        asked.push(question);
        return Promise.resolve({ action: "decline" });
      },
    });
    assert.match(textOf(refused), /the person declined it/);
    const [{ message } = { message: "" }] = asked;
    assert.ok(message.includes(own), message);
    // Over a hundred patterns of private files stand in the command line and in the log
    assert.match(message, /and \d{3} words that its config always adds$/);
    assert.ok(message.length < 1000, `${message.length} characters`);
  });
}

/** Asks about one call of a config in the served folder. */
async function askAboutForeign(config: object, tool: string, isAccepted = false) {
  const text = JSON.stringify(config);
  await using home = await scratch();
  await using dir = await scratch({ ".climax/own.yaml": text });
  using _ = withDirectory(dir.path);
  using __ = withVariables({ HOME: home.path, XDG_CONFIG_HOME: undefined });
  if (isAccepted) await accept(await configThing(".climax/own.yaml", text));
  const audit = join(dir.path, "audit.jsonl");
  await using session = await openSession({ configs: ["own"], policy: "ask", audit });
  const asked: string[] = [];
  const ask: Ask = (question) => {
    asked.push(JSON.stringify(question));
    return Promise.resolve({ action: "decline" });
  };
  await call(session, { tool }, { ask });
  const files = Array.from(Deno.readDirSync(dir.path), ({ name }) => name);
  return { asked: asked.join(), files };
}

unix.test("a config that nobody accepted runs nothing before a yes, and hides nothing", async () => {
  const config = {
    name: "own",
    command: "sh -c",
    env: { GIT_PAGER: "touch PAGED", MY_TOKEN: "abc" },
    tools: ["words", "flag"].map((name) => ({
      name,
      effect: "write",
      argv: ["{a}", "{b}", "{c}", "{d}", "{e}", "{f}", "{g?}"],
      confirm_with: name === "words" ? ["-c", "touch BEFORE"] : "g",
      args: [
        ...["a", "b", "c", "d", "e", "f"].map((arg) => ({ name: arg, value: `touch ${arg}` })),
        { name: "g", type: "boolean", flag: "-x" },
      ],
    })),
  };
  for (const { name } of config.tools) {
    const { asked, files } = await askAboutForeign(config, name);
    assert.deepEqual(files.toSorted(), [".climax", "audit.jsonl"]);
    assert.match(asked, /touch a.*touch f/);
    assert.match(asked, /GIT_PAGER=touch PAGED.*MY_TOKEN=\*\*\*/);
    assert.match(asked, /not shown: nobody has accepted its config/);
    assert.doesNotMatch(asked, /"remember"/);
  }
  const accepted = await askAboutForeign(config, "words", true);
  assert.deepEqual(accepted.files.toSorted(), [".climax", "BEFORE", "audit.jsonl"]);
});

unix.test("a trial takes a permit and stands in the audit log, and one that fails is none", () => {
  const { confirm_with: _, ...rest } = tools[2]!;
  const save = {
    ...rest,
    command: "sh",
    argv: ["-c", ":"],
    args: [],
    confirm_with: ["-c", "exit 3"],
  };
  return scene(
    async ({ session, asked, run, entries }) => {
      const place = await session.semaphore.acquire() as () => void;
      const result = run({ action: "decline" }, {}, "save");
      await until(() => session.semaphore.waiting === 1, "the trial that waits");
      place();
      await result;
      assert.match(asked[0]!.message, /\nWhat it would do is not known, for the trial failed:\n/);
      const [{ trial }] = await entries() as [Record<string, unknown>];
      const argv = ["sh", "-c", "exit 3"];
      assert.partialDeepStrictEqual(trial, { argv, ending: "exited", exit_code: 3 });
    },
    undefined,
    { tools: [save] },
    { concurrency: 1 },
  );
});

unix.test("no client has more than twenty trials and questions at once", () =>
  scene(async ({ session }) => {
    const answer = Promise.withResolvers<Answer>();
    const ask: Ask = () => answer.promise;
    const calls = Array.from({ length: 22 }, () => call(session, { tool: "save" }, { ask }));
    const results = Promise.all(calls);
    await Promise.race(calls);
    answer.resolve({ action: "decline" });
    const texts = (await results).map(textOf);
    assert.equal(texts.filter((text) => /20 calls of this client wait/.test(text)).length, 2);
  }));

unix.test("a yes is for the directory to which a link led", () =>
  scene(async ({ session, dir, ran, entries }) => {
    await Promise.all(["A", "B"].map((name) => Deno.mkdir(join(dir, name))));
    const link = join(dir, "d");
    await Deno.symlink("A", link);
    let message = "";
    const ask: Ask = async (question) => {
      message = question.message;
      await Deno.remove(link);
      await Deno.symlink("B", link);
      return yes;
    };
    const result = await call(session, { tool: "drop", args: { what: "a", dir: "d" } }, { ask });
    assert.match(message, new RegExp(` in the directory ${join(dir, "A")}\n`));
    assert.equal(result.isError, true);
    assert.equal(await ran(), false);
    assert.equal((await entries())[0]!["cwd"], join(dir, "A"));
  }));

unix.test("what a config adds to the environment is part of what is agreed to", async () => {
  const texts = await Promise.all(["a", "b"].map(async (value) => {
    await using session = await sessionOf({ env: { MY_TOKEN: value }, tools });
    const plan = await prepareCall(session, { tool: "drop", args: { what: "a" } });
    return plan.ok ? planText(plan) : "";
  }));
  assert.notEqual(texts[0], texts[1]);
});
