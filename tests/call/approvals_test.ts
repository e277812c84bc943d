/** A yes from anywhere: what waits, what an answer is for, and what it never covers. */

import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type ApprovalChoice,
  Approvals,
  maxWaiting,
  type WaitingCall,
  waitMs,
} from "../../src/call/approvals.ts";
import { call } from "../../src/call/call.ts";
import type { CallOptions } from "../../src/call/pipeline.ts";
import { io, setIo } from "../../src/io.ts";
import { identityKey } from "../../src/process/identity.ts";
import { FileStore } from "../../src/state/file_store.ts";
import type { Session } from "../../src/session/session.ts";
import { textOf } from "../../src/tool/result.ts";
import type { Answer, Ask, Question } from "../../src/tool/runner.ts";
import { scratch } from "../e2e/_scratch.ts";
import { sessionOf } from "../_session.ts";
import { unix } from "../_requirements.ts";

const tools = [
  {
    name: "drop",
    command: "echo",
    argv: ["{what}"],
    effect: "destructive",
    args: [
      { name: "what", required: true },
      { name: "secret", stdin: true },
      { name: "dir", cwd: true },
    ],
  },
  {
    name: "other",
    command: "echo",
    argv: ["{what}"],
    args: [{ name: "what", required: true }, { name: "secret", stdin: true }],
  },
  { name: "look", command: "echo", effect: "read" },
];

const asking = {
  default: "enabled",
  confirm: "write",
  tools: { drop: { args: { secret: { secret: true } } } },
};

interface Scene {
  readonly approvals: Approvals;
  readonly dir: string;
  /** Moves the clock. */
  pass(ms: number): void;
  /** Another server of the same person. */
  server(policy?: object): Promise<{ readonly session: Session; readonly approvals: Approvals }>;
  run(args?: object, options?: CallOptions & { tool?: string; on?: Session }): Promise<string>;
  answer(choice: ApprovalChoice, id?: string): Promise<void>;
  entries(): Promise<Record<string, unknown>[]>;
}

async function scene(use: (scene: Scene) => Promise<void>): Promise<void> {
  await using dir = await scratch();
  await using closing = new AsyncDisposableStack();
  await Deno.mkdir(join(dir.path, "sub"));
  let now = Date.UTC(2026, 0, 1);
  const open = async () => {
    const store = await FileStore.open(join(dir.path, "state"), "approvals", () => now);
    return closing.adopt(new Approvals(store), (each) => each.close());
  };
  const audit = join(dir.path, "audit.jsonl");
  const server: Scene["server"] = async (policy = asking) => {
    const approvals = await open();
    const session = closing.use(
      await sessionOf({ working_dir: dir.path, tools }, {
        policy: { file: "policy.yaml", text: JSON.stringify(policy) },
        audit,
        approvals: () => Promise.resolve(approvals),
      }),
    );
    return { session, approvals };
  };
  const { session } = await server();
  const approvals = await open();
  const run: Scene["run"] = async (args = {}, { tool = "drop", on = session, ...options } = {}) => {
    const request = { tool, args: { what: "a", ...args } };
    return textOf(await call(on, request, { client: "test", ...options }));
  };
  await use({
    approvals,
    dir: dir.path,
    pass: (ms) => void (now += ms),
    server,
    run,
    async answer(choice, id) {
      const [last] = (await approvals.waiting()).toReversed();
      const approver = { by: "ada", how: "climax approve" } as const;
      assert.ok(await approvals.answer(id ?? last!.id, choice, approver));
    },
    async entries() {
      const lines = (await Deno.readTextFile(audit)).trimEnd().split("\n");
      return lines.map((line) => JSON.parse(line));
    },
  });
}

const waits =
  /^Call not run yet: this tool requires confirmation by a person\nTell them: climax approve [a-z0-9]{6} \(or the page of climax ui\)\. Then make the same call again, with the same arguments$/;

unix.test("a call waits for a person, is listed as it would run, and a yes runs it once", () =>
  scene(async ({ run, approvals, answer, entries, dir }) => {
    assert.match(await run({ what: "a b" }), waits);
    // The same call waits once
    assert.match(await run({ what: "a b" }), waits);
    const [call, ...others] = await approvals.waiting();
    assert.deepEqual(others, []);
    const { client, tool, line, words, directory } = call!;
    assert.deepEqual({ client, tool, line, directory }, {
      client: "test",
      tool: "drop",
      line: "echo 'a b'",
      directory: dir,
    });
    assert.equal(
      words,
      `drop: "a b"\nAn agent wants to call drop (destructive) in the directory ${dir}\n` +
        `Exactly this runs:\n["echo","a b"]`,
    );
    await answer("yes");
    assert.deepEqual(await approvals.waiting(), []);
    assert.equal(await run({ what: "a b" }), "a b");
    assert.match(await run({ what: "a b" }), waits);
    const [first, , ran] = await entries();
    assert.deepEqual([first!["decision"], first!["confirmation"]], ["refused", "waiting"]);
    assert.deepEqual([ran!["decision"], ran!["confirmation"]], ["allowed", "accepted"]);
    const approval = ran!["approval"] as Record<string, unknown>;
    assert.deepEqual({ ...approval, time: "" }, {
      choice: "yes",
      by: "ada",
      how: "climax approve",
      time: "",
    });
  }));

/** For each answer: the results of the same call, at once and after ten minutes, by another server, after a year. */
const choices: readonly [
  choice: ApprovalChoice,
  results: readonly ["ran" | "waits" | "declined", string, string, string, string],
][] = [
  ["yes", ["ran", "waits", "waits", "waits", "waits"]],
  ["no", ["declined", "declined", "waits", "waits", "waits"]],
  ["session", ["ran", "ran", "ran", "waits", "waits"]],
  ["always", ["ran", "ran", "ran", "ran", "waits"]],
];

for (const [choice, expected] of choices) {
  unix.test(`'${choice}' covers what it says: ${expected.join(", ")}`, () =>
    scene(async ({ run, answer, pass, server, approvals }) => {
      const other = await server();
      const outcome = async (on?: Session) => {
        const text = await run({}, on && { on });
        if (text === "a") return "ran";
        return waits.test(text) ? "waits" : text.replace(/.*the person (declined) it\n[^]*/, "$1");
      };
      await run();
      await answer(choice);
      const results = [await outcome(), await outcome()];
      pass(11 * 60_000);
      results.push(await outcome(), await outcome(other.session));
      pass(366 * 86_400_000);
      results.push(await outcome());
      assert.deepEqual(results, expected);
      await run();
      await answer("always");
      assert.equal(await approvals.forget(), 1);
      assert.match(await run(), waits);
    }));
}

unix.test("an answer is for the next server that makes the call, also if that which asked has ended", () =>
  scene(async ({ run, answer, server, approvals }) => {
    const { session } = await server();
    for (const asksAgain of [true, false]) {
      await run();
      if (asksAgain) assert.match(await run({}, { on: session }), waits);
      assert.equal((await approvals.waiting()).length, 1);
      await answer("session");
      const twice = [run({}, { on: session }), run({}, { on: session })];
      assert.deepEqual(await Promise.all(twice), ["a", "a"]);
      assert.match(await run(), waits);
      await answer("no");
      assert.match(await run({}, { on: session }), /declined it/);
      assert.match(await run(), /declined it/);
      assert.equal(await approvals.forget(), 2);
    }
  }));

const others: readonly [what: string, args: object, options?: CallOptions & { tool?: string }][] = [
  ["another argument", { what: "a " }],
  ["another spelling of it", { what: "\u0430" }],
  ["another directory", { dir: "sub" }],
  ["another input, which is not shown", { secret: "b" }],
  ["another tool with the same argument", {}, { tool: "other" }],
  ["another client", {}, { client: "test2" }],
  ["another owner of the same name", {}, { owner: "bob" }],
];

for (const choice of ["yes", "session", "always"] as const) {
  for (const [what, args, options] of others) {
    unix.test(`'${choice}' never covers ${what}`, () =>
      scene(async ({ run, answer }) => {
        await run({ secret: "s" });
        await answer(choice);
        assert.match(await run({ secret: "s", ...args }, options), waits);
        assert.equal(await run({ secret: "s" }), "a");
      }));
  }
}

unix.test("a yes ends with the policy and the profile that it was asked for in, and ten minutes after it", () =>
  scene(async ({ run, answer, server, pass }) => {
    const { session } = await server({ ...asking, deny: ["look"] });
    await run();
    await answer("always");
    assert.match(await run({}, { on: session }), waits);
    const own = setIo(Object.create(io(), { profile: { value: "work" } }));
    assert.match(await run().finally(() => setIo(own)), waits);
    assert.equal(await run(), "a");
    await run({ what: "b" });
    await answer("yes");
    pass(10 * 60_000);
    assert.match(await run({ what: "b" }), waits);
  }));

unix.test("five hundred answers are remembered, the oldest first, and one is forgotten by its id", () =>
  scene(async ({ approvals, dir, pass }) => {
    using opened = new DisposableStack();
    const file = await FileStore.open(join(dir, "state"), "approvals", () => 0);
    const store = opened.adopt(file, (each) => each.close());
    const old = JSON.stringify({ id: "old", at: 0, until: 1e15 });
    const fields = Array.from({ length: 498 }, (_, at) => [`always ${at}`, old]);
    await store.putFields("approvals:answers", Object.fromEntries(fields));
    const remember = (key: string) => {
      const asked = {
        key,
        refusalKey: "n",
        owner: "o",
        client: "test",
        tool: "drop",
        words: "w",
        line: "l",
        directory: dir,
      };
      pass(1);
      return approvals.remember(asked, "always", { by: "ada", how: "climax approve" });
    };
    const [one, two] = [await remember("b"), await remember("a")];
    assert.deepEqual((await approvals.list()).slice(-2), [one, two]);
    assert.equal(await remember("c"), undefined);
    assert.deepEqual([await approvals.forget(one!.id), await approvals.forget("none")], [1, 0]);
    assert.equal((await remember("c"))?.client, "test");
    assert.equal(await approvals.forget(), 500);
    await remember("d");
    pass(366 * 86_400_000);
    assert.deepEqual(await approvals.list(), []);
    assert.equal((await store.getFields("approvals:answers")).size, 0);
  }));

unix.test("one of two calls at once uses a yes", () =>
  scene(async ({ run, answer, server }) => {
    const { session } = await server();
    await run();
    await answer("yes");
    const texts = await Promise.all([run(), run({}, { on: session }), run(), run()]);
    assert.equal(texts.filter((text) => text === "a").length, 1);
  }));

unix.test("what waits is bounded for a client and for all, and ends", () =>
  scene(async ({ run, approvals, pass }) => {
    const flood = (client: string, count: number) => {
      const calls = Array.from({ length: count }, (_, at) => run({ what: `${at}` }, { client }));
      return Promise.all(calls);
    };
    const texts = await flood("flood", maxWaiting.client + 5);
    const full = /\n20 calls of this client wait for a person already$/;
    assert.equal(texts.filter((text) => full.test(text)).length, 5);
    // Others still have room, and the largest gives it
    assert.match(await run(), waits);
    for (const client of ["b", "c", "d", "e"]) await flood(client, maxWaiting.client);
    const waiting = await approvals.waiting();
    assert.equal(waiting.length, 100);
    assert.equal(waiting.some(({ client }) => client === "test"), true);
    assert.equal(new Set(waiting.map(({ id }) => id)).size, maxWaiting.all);
    pass(waitMs);
    assert.deepEqual(await approvals.waiting(), []);
    assert.match(await run(), waits);
  }));

const asked: readonly [what: string, answer: Answer, texts: readonly RegExp[]][] = [
  ["yes", { action: "accept", content: { run: true } }, [/^a$/, waits]],
  ["once", { action: "accept", content: { run: true, remember: "once" } }, [/^a$/, waits]],
  ["session", { action: "accept", content: { run: true, remember: "session" } }, [/^a$/, /^a$/]],
  ["always", { action: "accept", content: { run: true, remember: "always" } }, [/^a$/, /^a$/]],
  ["always without a yes", { action: "accept", content: { run: false, remember: "always" } }, [
    /did not say yes\n/,
    /declined it\n/,
  ]],
  ["no", { action: "decline" }, [
    /declined it\n/,
    /declined it\n[^]*climax approve [a-z0-9]{6} --forget$/,
  ]],
  ["nothing", { action: "cancel" }, [waits, waits]],
  ["nothing in time", { action: "unasked", reason: "the request failed: timeout" }, [waits, waits]],
];

for (const [what, answer, [first, later]] of asked) {
  unix.test(`a person who is asked by their client says ${what}`, () =>
    scene(async ({ run, entries }) => {
      const questions: Question[] = [];
      const ask: Ask = (question) => {
        questions.push(question);
        return Promise.resolve(answer);
      };
      assert.match(await run({}, { ask, via: "stdio" }), first!);
      const [question] = questions;
      assert.ok(question?.mode === "form");
      const { properties, required } = question.requestedSchema as Record<string, object>;
      assert.deepEqual(Object.keys(properties!), ["run", "remember"]);
      assert.deepEqual(required, ["run"]);
      assert.match(await run({}, { via: "stdio" }), later!);
      const [, again] = await entries();
      const { by, how } = (again!["approval"] ?? {}) as Record<string, unknown>;
      assert.deepEqual(
        [by, how],
        later === waits ? [undefined, undefined] : ["test", "elicitation"],
      );
    }));
}

unix.test("what waits has its question, and all of it where that is cut", () =>
  scene(async ({ run, approvals, answer }) => {
    const what = `a${"x".repeat(5000)}b${"x".repeat(5000)}c`;
    await run({ what }, { client: "y".repeat(600) });
    const [{ id, line, client, words, whole }] = await approvals.waiting() as [WaitingCall];
    assert.match(line, /^echo ax+ … 6,008 more characters … x+c$/);
    assert.match(words, /\["echo","ax+ … 6,0\d\d more characters … x+c"\]$/);
    assert.ok(whole!.includes(`["echo","${what}"]`));
    assert.equal(client, `${"y".repeat(64)}…`);
    // The person at the client finds it by its id
    const ask: Ask = (question) => {
      assert.ok(question.message.endsWith(
        `\nAll of it: climax approve ${id} --show, or the page of climax ui`,
      ));
      return Promise.resolve({ action: "accept", content: { run: true } });
    };
    assert.equal(await run({ what }, { ask, client: "y".repeat(600) }), what);
    assert.deepEqual(await approvals.waiting(), []);
    await run({ what });
    await answer("always");
    assert.equal((await approvals.list())[0]?.line.length, 501);
    // A yes is for the part that is not shown, too
    assert.match(await run({ what: what.replace("b", "d") }), waits);
  }));

unix.test("clients whose long names begin alike are told apart, and have places of their own", () =>
  scene(async ({ run, approvals }) => {
    const names = ["alice", "mallory"].map((name) =>
      `https://id.example/${"7".repeat(60)}/${name}`
    );
    for (const [at, client] of names.entries()) await run({}, { client, owner: `owner ${at}` });
    const waiting = await approvals.waiting();
    assert.deepEqual(waiting.map(({ client }) => client), names);
    assert.equal(new Set(waiting.map(({ owner }) => owner)).size, 2);
  }));

unix.test("a call that counts once is allowed once, whatever the person chooses", () =>
  scene(async ({ approvals }) => {
    const own = { key: "k", refusalKey: "n", owner: "o", client: "c", tool: "t" };
    const call = { ...own, words: "", line: "" };
    const added = await approvals.add({ ...call, directory: "", isOnce: true });
    assert.ok("id" in added);
    await approvals.answer(added.id, "always", { by: "ada", how: "climax ui" });
    assert.equal((await approvals.use(["k"]))?.choice, "yes");
    assert.equal(await approvals.use(["k"]), undefined);
  }));

const authority = "/srv/tokens.txt";
const ada = (by: "tokens" | "issuer", authority: string): CallOptions => {
  return { client: "ada", owner: identityKey({ name: "ada", by, authority }) };
};

/** All of them are called ada. */
const identities: readonly (readonly [what: string, options: CallOptions])[] = [
  ["a token of a file", ada("tokens", authority)],
  ["a token of another file", ada("tokens", "/other/tokens.txt")],
  ["a subject of an issuer", ada("issuer", "https://id.example")],
  ["a subject of another issuer", ada("issuer", "https://id.example/other")],
  ["an issuer with the name of the file", ada("issuer", authority)],
  ["a client over stdio that says so", { client: "ada", via: "stdio" }],
  ["a client over HTTP that says so", { client: "ada", via: "http" }],
  ["a command of the person", { client: "ada" }],
  ["a client that calls itself like a key", {
    client: ada("tokens", authority).owner!,
    via: "stdio",
  }],
];

for (const [what, options] of identities) {
  unix.test(`a yes for ever to ${what} is no yes to another ada`, () =>
    scene(async ({ run, answer }) => {
      assert.match(await run({}, options), waits);
      await answer("always");
      assert.deepEqual([await run({}, options), await run({}, options)], ["a", "a"]);
      for (const [other, options] of identities) {
        if (other !== what) assert.match(await run({}, options), waits, other);
      }
    }));
}

unix.test("an answer from otherAnswer counts, even if the client answers then too", () =>
  scene(async ({ run, answer, entries, approvals }) => {
    const ask: Ask = async (_question, _options, _planText, otherAnswer) => {
      assert.equal(await otherAnswer!(AbortSignal.abort()), undefined);
      assert.deepEqual(await approvals.waiting(), []);
      await run();
      await answer("yes");
      const { action } = await otherAnswer!(new AbortController().signal) ?? {};
      assert.equal(action, "accept");
      return { action: "decline" };
    };
    assert.equal(await run({}, { ask }), "a");
    assert.equal(JSON.stringify((await entries()).at(-1)).includes('"by":"ada"'), true);
  }));

type Take = FileStore["deleteFields"];

/** Who takes a call off the list when its client has answered, and how often the store is read then. */
const takers: readonly (readonly [
  what: string,
  taker: (take: Take, write: () => Promise<unknown>) => Take,
  reads: number,
  choice?: ApprovalChoice | undefined,
  full?: true,
])[] = [
  ["the client itself", (take) => take, 1],
  ["no one, for the store is away", () => () => Promise.reject(new Error("away")), 1],
  [
    "a person who answers next",
    (take, write) => async (...given) => {
      await take(...given);
      await write();
      return 0;
    },
    3,
    "yes",
  ],
  ["no one, since too many wait", (take) => take, 1, undefined, true],
  ["a person who never answers", () => () => Promise.resolve(0), 21],
];

for (const [what, taker, reads, choice, full] of takers) {
  unix.test(`a client that answers ends a wait, which is taken off by ${what}`, async () => {
    await using dir = await scratch();
    const store = await FileStore.open(join(dir.path, "state"), "approvals");
    const approvals = new Approvals(store);
    const call = {
      key: "k",
      refusalKey: "n",
      owner: "o",
      client: "c",
      tool: "t",
      words: "w",
      line: "l",
      directory: "/",
    };
    for (let key = 0; full && key < maxWaiting.client; key++) {
      await approvals.add({ ...call, key: `${key}` });
    }
    const [read, take] = [store.getFields.bind(store), store.deleteFields.bind(store)];
    let count = 0;
    store.getFields = (...given) => (count++, read(...given));
    const write = () => approvals.remember(call, "yes", { by: "ada", how: "climax ui" });
    const taken = taker(take, write);
    store.deleteFields = (...given) =>
      given[1].length === 0 || count > 1 ? take(...given) : taken(...given);
    assert.equal((await approvals.wait(call, AbortSignal.abort()))?.choice, choice);
    assert.equal(count, reads);
    approvals.close();
    await assert.rejects(approvals.list());
  });
}

unix.test("a call of a script waits too, and runs when the script is run again after the yes", () =>
  scene(async ({ answer, server }) => {
    const policy = { ...asking, tools: { "*": {}, script_run: { confirm: false } } };
    const { session } = await server(policy);
    const code = `return await call("drop", { what: "b" })`;
    const script = async () => {
      return textOf(
        await call(session, { tool: "script_run", args: { code } }, { client: "test" }),
      );
    };
    assert.match(await script(), /Call not run yet: this tool requires confirmation by a person/);
    await answer("yes");
    assert.match(await script(), /"text":"b\\n"/);
    assert.match(await script(), /Call not run yet/);
  }));

unix.test("with a file that is not private, calls are refused and nothing runs", () =>
  scene(async ({ run, answer, dir }) => {
    await run();
    await answer("always");
    await Deno.chmod(join(dir, "state", "approvals"), 0o644);
    assert.match(await run(), /^Call refused: .*\nit cannot wait for a person: the log says why$/);
    assert.match(await run({}, { tool: "look" }), /^\(no output\)/);
  }));
