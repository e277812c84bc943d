/** Kept scripts as tools of a session: their arguments, their effect, and what holds the calls in them. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { answer } from "../../../src/catalog/answer.ts";
import { ToolIndex, toolIndexOf } from "../../../src/catalog/tool_index.ts";
import { call } from "../../../src/call/call.ts";
import type { CallOptions } from "../../../src/call/pipeline.ts";
import { narrowContext } from "../../../src/call/context.ts";
import { closeVms } from "../../../src/sources/scripts/vm.ts";
import type { SessionOptions } from "../../../src/session/session.ts";
import { unixTest } from "../../_requirements.ts";
import { answerOf, answerTo, openPolicy, policyOf, sessionOf } from "../../_session.ts";
import { scratch } from "../../e2e/_scratch.ts";

Deno.test.afterAll(async () => await closeVms());

const word = { name: "word", positional: true, required: true };

const config = {
  tools: [
    { name: "say", command: "echo", effect: "read", args: [word] },
    { name: "save", command: "echo", effect: "write", args: [word] },
    { name: "wipe", command: "echo", effect: "destructive", args: [word] },
  ],
} as const;

/** A script with `header` lines over those that it needs. */
function script(body: string, header = "", effect = "read"): string {
  return `/* climax script\ndescription: Repeats words for a test\neffect: ${effect}\n${header}*/\n${body}`;
}

const argsHeader = `args:
  - { name: count, type: integer, default: 2, min: 1, max: 5 }
  - { name: words, type: array, items: { enum: [a, b] } }
  - { name: note, description: A remark on yesterday }
`;

/** Calls of a session over the config and scripts by name. */
async function opened(
  scripts: Readonly<Record<string, string>>,
  { policy, ...options }: Omit<SessionOptions, "configs" | "policy"> & {
    readonly policy?: object;
  } = {},
) {
  const texts = Object.entries(scripts).map(([name, text]) => ({ file: `${name}.js`, text }));
  const named = { policy: policy === undefined ? openPolicy : policyOf(policy) };
  const session = await sessionOf(config, { givenScripts: { texts }, ...named, ...options });
  const ask = async (tool: string, args: object = {}, more: CallOptions = {}) => {
    return (await answerTo(session, { tool, args }, more)).text;
  };
  return { session, ask, [Symbol.asyncDispose]: () => session.close() };
}

unixTest("a kept script is a tool, whose input is the checked object", async () => {
  await using place = await opened({ twice: script("return input", argsHeader) });
  const { ask, session } = place;
  assert.equal(await ask("twice"), '{"count":2}');
  assert.equal(
    await ask("twice", { count: "3", words: "a", note: "n" }),
    '{"count":3,"words":["a"],"note":"n"}',
  );
  assert.match(await ask("twice", { count: 6 }), /value '6' is greater than maximum 5/);
  assert.match(await ask("twice", { words: ["c"] }), /item 1 must be one of: a, b/);
  assert.match(await ask("twice", { count: "x" }), /Argument 'count'/);
  const found = await answer(toolIndexOf(session.index), { query: "remark on yesterday" });
  assert.equal(found.mode === "search" && found.results[0]?.tool_name, "twice");
  const tool = session.index.get("twice")!;
  assert.deepEqual([tool.effect, tool.owner.name], ["read", "scripts"]);
});

const refused = (name: string, effect: string, most: string) =>
  new RegExp(
    `Call refused: the effect of this script is '${most}' at most, and that of '${name}' is '${effect}'`,
  );

unixTest("a call of a worse effect than the header's is refused when it is made", async () => {
  const body = 'return (await call(["sa", "ve"].join(""), {word: "x"})).text';
  await using dir = await scratch();
  const audit = join(dir.path, "audit.jsonl");
  await using place = await opened({
    reads: script(body),
    writes: script(body, "", "write"),
    wipes: script('return (await call("wipe", {word: "x"})).text', "", "write"),
    catches: script('return await call("save", {word: "x"}).catch((error) => error.message)'),
  }, { audit });
  assert.match(await place.ask("reads"), refused("save", "write", "read"));
  assert.equal(await place.ask("writes"), "x\n");
  assert.match(await place.ask("wipes"), refused("wipe", "destructive", "write"));
  assert.match(await place.ask("catches"), refused("save", "write", "read"));
  const entries = Deno.readTextFileSync(audit).trim().split("\n").map((line) => JSON.parse(line));
  const [inner, outer] = entries;
  assert.equal(inner.tool, "save");
  assert.equal(inner.rule, "script");
  assert.equal(inner.parent, outer.script);
  assert.equal(inner.argv, undefined);
  assert.match(outer.sha256, /^[0-9a-f]{64}$/);
});

unixTest("the policy counts for the script and for each call in it", async () => {
  const writing = script('return (await call("save", {word: "x"})).text', "", "write");
  const reading = script('return (await call("say", {word: "x"})).text');
  {
    await using place = await opened({ writing, reading }, {
      policy: { default: "enabled", effects: ["read"] },
    });
    assert.match(await place.ask("writing"), /^Unknown tool: writing/);
    assert.equal(await place.ask("reading"), "x\n");
  }
  {
    await using place = await opened({ reading }, {
      policy: { default: "enabled", deny: ["say"] },
    });
    assert.match(await place.ask("reading"), /Script failed: .*Unknown tool: say/);
  }
  {
    // The person may be asked for the call, though not for the script
    const tools = { writing: { confirm: false } };
    await using place = await opened({ writing }, {
      policy: { default: "enabled", confirm: "write", tools },
    });
    const questions: string[] = [];
    const yes = { action: "accept", content: { run: true } } as const;
    const ask: CallOptions["ask"] = (question) => {
      questions.push(question.message);
      return Promise.resolve(yes);
    };
    assert.match(await place.ask("writing"), /requires confirmation/);
    assert.equal(await place.ask("writing", {}, { ask }), "x\n");
    assert.equal(questions.length, 1);
    assert.match(questions[0]!, /^Run a script that makes 1 call: save 1×\n[^]*save \(write\)/);
  }
  {
    // An effect in the policy narrows what the script may do, and does not widen it
    const tools = { writing: { effect: "read" }, reading: { effect: "destructive" } };
    const reads = script('return (await call("save", {word: "x"})).text');
    const policy = { tools, default: "enabled" };
    await using place = await opened({ writing, reading: reads }, { policy });
    assert.match(await place.ask("writing"), refused("save", "write", "read"));
    assert.match(await place.ask("reading"), refused("save", "write", "read"));
  }
});

unixTest("no script runs a script: not itself, not another, not that of an agent", async () => {
  const calls = (name: string) => `return (await call("${name}", {code: "1"})).text`;
  await using place = await opened({
    itself: script(calls("itself"), "", "destructive"),
    another: script(calls("itself"), "", "destructive"),
    agents: script(calls("script_run"), "", "destructive"),
  }, { scripts: true });
  for (const name of ["itself", "another", "agents"]) {
    assert.match(await place.ask(name), /Call refused: a script does not run a script/);
  }
  const code = `return (await call("itself", {})).text`;
  assert.match(await place.ask("script_run", { code }), /a script does not run a script/);
  const search = `return (await search("repeats words")).map(({name}) => name).sort()`;
  assert.equal(await place.ask("script_run", { code: search }), '["save","say","wipe"]');
});

unixTest("a secret argument of a script is in no log and no plan", async () => {
  await using dir = await scratch();
  const audit = join(dir.path, "audit.jsonl");
  const tools = { twice: { args: { note: { secret: true } } } };
  const scripts = { twice: script("return input.note.length", argsHeader) };
  await using place = await opened(scripts, { audit, policy: { tools } });
  assert.equal(await place.ask("twice", { note: "hunter2" }), "7");
  const log = Deno.readTextFileSync(audit);
  assert.doesNotMatch(log, /hunter2/);
  assert.equal(JSON.parse(log).arguments.note, "***");
});

unixTest("a script of a sub-agent calls what its group has, and nothing else", async () => {
  const scripts = { reading: script('return (await call("say", {word: "x"})).text') };
  await using place = await opened(scripts);
  const { session } = place;
  const only = (...names: string[]) => {
    const tools = session.index.tools.filter(({ name }) => names.includes(name));
    return narrowContext(session, { make: () => new ToolIndex(tools) }).context;
  };
  const request = { tool: "reading", args: {} };
  const text = async (...names: string[]) => (answerOf(await call(only(...names), request))).text;
  assert.equal(await text("reading", "say"), "x\n");
  assert.match(await text("reading"), /Unknown tool: say/);
});
