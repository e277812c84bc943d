/** Consent asked for through real clients, in both eras of the protocol, and what an agent may try. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { Approvals } from "../../src/call/approvals.ts";
import { FileStore } from "../../src/state/file_store.ts";
import { classicSurface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import { scratch } from "../e2e/_scratch.ts";
import { sessionOf } from "../_session.ts";
import { joinClient } from "./_serving.ts";
import { unix } from "../_requirements.ts";
import { until } from "../_wait.ts";

const policy = { file: "policy.yaml", text: "default: enabled\nconfirm: destructive\n" };
const tools = [{
  name: "drop",
  command: "sh -c",
  argv: ['echo "$0" >> ran', "{what}"],
  effect: "destructive",
  args: [{ name: "what", required: true }],
}];

interface Joined {
  readonly client: Client;
  /** What the tool was run with. */
  ran(): Promise<string>;
}

async function joined(
  era: "auto" | "legacy",
  surface: typeof classicSurface,
  capabilities: object,
  use: (joined: Joined) => Promise<void>,
): Promise<void> {
  await using dir = await scratch();
  await using session = await sessionOf({ working_dir: dir.path, tools }, {
    policy,
    scripts: true,
  });
  await using joined = await joinClient(surface(session), era, {}, capabilities);
  const ran = () => Deno.readTextFile(join(dir.path, "ran")).catch(() => "");
  await use({ client: joined.client, ran });
}

const form = { elicitation: { form: {} } };
const refused = /^Call refused: the person declined it\nDo not try another way: ask the person/;
const surfaces = [["classic", classicSurface], ["discovery", discoverySurface]] as const;

function paramsOf(mode: string, what: string) {
  return mode === "classic"
    ? { name: "drop", arguments: { what } }
    : { name: "climax_call", arguments: { tool_name: "drop", args: { what } } };
}

function textIn(result: unknown): string {
  return (result as { content?: { text: string }[] }).content?.[0]?.text ?? "asked";
}

for (const era of ["auto", "legacy"] as const) {
  for (const [mode, surface] of surfaces) {
    unix.test(`a person is asked through the client, and the yes runs the call (${mode}, ${era})`, () =>
      joined(era, surface, form, async ({ client, ran }) => {
        const asked: string[] = [];
        client.setRequestHandler("elicitation/create", ({ params }) => {
          asked.push(params.message);
          return { action: "accept", content: { run: true } };
        });
        assert.equal(textIn(await client.callTool(paramsOf(mode, "a b"))), "(no output)");
        assert.equal(await ran(), "a b\n");
        assert.equal(asked.length, 1);
        assert.match(
          asked[0]!,
          /^drop: "a b"\nAn agent wants to call drop \(destructive\) in the [^]*\n\["sh","-c",.*"a b"\]$/,
        );
      }));

    unix.test(`a no, and a client that cannot ask, run nothing (${mode}, ${era})`, async () => {
      await joined(era, surface, form, async ({ client, ran }) => {
        client.setRequestHandler("elicitation/create", () => ({ action: "decline" }));
        const result = await client.callTool(paramsOf(mode, "a"));
        assert.match(textIn(result), refused);
        assert.deepEqual([result.isError, await ran()], [true, ""]);
      });
      await joined(era, surface, {}, async ({ client, ran }) => {
        const result = await client.callTool(paramsOf(mode, "a"));
        assert.match(
          textIn(result),
          /the client does not support elicitation\nAn operator can allow it with/,
        );
        assert.deepEqual([result.isError, await ran()], [true, ""]);
      });
    });
  }
}

type Place = Record<"own" | "elsewhere", Approvals> & {
  readonly client: Client;
  /** Of the audit log: the last entry. */
  entry(): Promise<Record<string, Record<string, unknown> | string>>;
};

/** A client that can ask, and `elsewhere` the person who answers its calls as well. */
async function asking(
  use: (place: Place) => Promise<void>,
  era: "auto" | "legacy" = "legacy",
): Promise<void> {
  await using dir = await scratch();
  using approvals = new DisposableStack();
  const open = async () => {
    const store = await FileStore.open(join(dir.path, "state"), "approvals");
    return approvals.adopt(new Approvals(store), (each) => each.close());
  };
  const [own, elsewhere] = [await open(), await open()];
  const audit = join(dir.path, "audit.jsonl");
  const options = { policy, audit, scripts: true, approvals: () => Promise.resolve(own) };
  await using session = await sessionOf({ working_dir: dir.path, tools }, options);
  await using joined = await joinClient(classicSurface(session), era, {}, form);
  const entry = async () => JSON.parse((await Deno.readTextFile(audit)).trimEnd());
  await use({ own, elsewhere, client: joined.client, entry });
}

for (const era of ["auto", "legacy"] as const) {
  unix.test(`a no is for the same call for ten minutes, of a tool and of a script (${era})`, () =>
    asking(async ({ client, own }) => {
      let count = 0;
      client.setRequestHandler("elicitation/create", () => (count++, { action: "decline" }));
      const script = { name: "script_run", arguments: { code: 'await call("drop", {what: "b"})' } };
      for (const params of [paramsOf("classic", "a"), script]) {
        assert.match(textIn(await client.callTool(params)), refused);
        const again =
          /^Call refused: the person declined it\n[^]*: climax approve [a-z0-9]{6} --forget/;
        assert.match(textIn(await client.callTool(params)), again);
      }
      assert.deepEqual([count, await own.forget()], [2, 2]);
      await client.callTool(script);
      assert.equal(count, 3);
    }, era));
}

for (const choice of ["yes", "no"] as const) {
  unix.test(`an answer from elsewhere (${choice}) ends the client's open question`, () =>
    asking(async ({ client, elsewhere }) => {
      const closed = Promise.withResolvers<void>();
      client.setRequestHandler("elicitation/create", async (_, { mcpReq }) => {
        mcpReq.signal.addEventListener("abort", () => closed.resolve());
        const { id } = await until(async () => (await elsewhere.waiting())[0], "what waits");
        assert.ok(await elsewhere.answer(id, choice, { by: "ada", how: "climax approve" }));
        await closed.promise;
        return { action: "accept", content: { run: choice === "no" } };
      });
      const result = await client.callTool(paramsOf("classic", "a"));
      assert.match(textIn(result), choice === "yes" ? /^\(no output\)$/ : refused);
      await closed.promise;
      assert.deepEqual(await elsewhere.waiting(), []);
      // A no stays for a while
      assert.equal(await elsewhere.forget(), choice === "yes" ? 0 : 1);
      // One that the client answers waits no more
      client.setRequestHandler("elicitation/create", async () => {
        await until(async () => (await elsewhere.waiting())[0], "the call that waits");
        return { action: "decline" };
      });
      assert.match(textIn(await client.callTool(paramsOf("classic", "a"))), refused);
      assert.deepEqual(await elsewhere.waiting(), []);
    }));

  for (const isFirst of [true, false]) {
    unix.test(`of two answers at once the first decides (${choice}, ${isFirst})`, () =>
      asking(async ({ client, elsewhere, entry }) => {
        let answered: ReturnType<Approvals["answer"]> | undefined;
        client.setRequestHandler("elicitation/create", async () => {
          const { id } = await until(async () => (await elsewhere.waiting())[0], "what waits");
          answered = elsewhere.answer(id, choice, { by: "ada", how: "climax approve" });
          if (isFirst) await answered;
          return { action: "accept", content: { run: choice === "no", remember: "once" } };
        });
        const text = textIn(await client.callTool(paramsOf("classic", "a")));
        const byAda = await answered !== undefined;
        assert.equal(byAda || !isFirst, true);
        const runs = byAda === (choice === "yes");
        const unsaid = byAda ? refused : /^Call refused: the person did not say yes\n/;
        assert.match(text, runs ? /^\(no output\)$/ : unsaid);
        const { confirmation, approval } = await entry();
        assert.equal(confirmation, runs ? "accepted" : "declined");
        assert.equal(
          (approval as { by?: string } | undefined)?.by,
          byAda ? "ada" : runs ? undefined : "climax-tests",
        );
        // Nothing is left for another call but a no
        assert.deepEqual(await elsewhere.waiting(), []);
        assert.deepEqual((await elsewhere.list()).map((each) => each.choice), runs ? [] : ["no"]);
      }));
  }
}

unix.test("an answer that an agent makes up, changes or sends twice runs nothing", () =>
  joined("auto", classicSurface, form, async ({ client, ran }) => {
    const send = async (params: object) => {
      return textIn(
        await client.callTool(params as Parameters<Client["callTool"]>[0], {
          allowInputRequired: true,
        }),
      );
    };
    const begin = async (what: string) => {
      const result = await client.callTool(paramsOf("classic", what), { allowInputRequired: true });
      return (result as { requestState?: string }).requestState!;
    };
    const inputResponses = { q1: { action: "accept", content: { run: true } } };
    const refused =
      /^Call refused: the answer matches no open question\. It was used before, came too late, or is for another call$/;

    // Without a question, and with the state of none
    assert.equal(await send({ ...paramsOf("classic", "a"), inputResponses }), "asked");
    const text = await send({ ...paramsOf("classic", "a"), inputResponses, requestState: "x.1.y" });
    assert.match(text, refused);
    // For other arguments than those that the person was shown
    const requestState = await begin("a");
    assert.match(
      await send({ ...paramsOf("classic", "b"), inputResponses, requestState }),
      /^Call refused: the answer is for another call\nCall the tool again to ask again$/,
    );
    assert.equal(await ran(), "");
    // Once
    assert.equal(
      await send({ ...paramsOf("classic", "a"), inputResponses, requestState }),
      "(no output)",
    );
    assert.equal(
      await send({ ...paramsOf("classic", "a"), inputResponses, requestState }),
      "Call refused: the answer was used before",
    );
    assert.equal(await ran(), "a\n");
    // An answer to a question that is not a yes
    const other = await begin("c");
    const empty = { q1: { action: "accept", content: {} } };
    assert.match(
      await send({ ...paramsOf("classic", "c"), inputResponses: empty, requestState: other }),
      /^Call refused: the person did not say yes\n/,
    );
    assert.equal(await ran(), "a\n");
  }));

for (const era of ["auto", "legacy"] as const) {
  unix.test(`a person is asked once about all calls of a script, which then runs again (${era})`, () =>
    joined(era, discoverySurface, form, async ({ client, ran }) => {
      const asked: string[] = [];
      client.setRequestHandler("elicitation/create", ({ params }) => {
        asked.push(params.message);
        return { action: "accept", content: { run: asked.length !== 2 } };
      });
      const run = (tool_name: string, args: object) => {
        return client.callTool({ name: "climax_call", arguments: { tool_name, args } });
      };
      const each = "const done = []; for (const what of input) {" +
        ' await call("drop", {what}); done.push(what) } return done';
      const text = textIn(await run("script_run", { code: each, input: ["a", "b", "c"] }));
      assert.deepEqual(JSON.parse(text), ["a", "b", "c"]);
      assert.equal(await ran(), "a\nb\nc\n");
      assert.match(asked.join(), /^Run a script that makes 3 calls: drop 3×\n[^]*\n3\. drop: c\n/);
      const code =
        `return (await all(["d", "e", "f"].map((what) => () => call("drop", {what})))).length`;
      const refused = textIn(await run("script_run", { code }));
      assert.match(refused, /^Call refused: the person did not say yes\nDo not try another way/);
      const again = { code: `${code} + 0` };
      assert.equal(textIn(await run("script_run", again)), "3");
      assert.equal(asked.length, 3);
      assert.equal((await ran()).trim().split("\n").length, 6);
    }));
}
