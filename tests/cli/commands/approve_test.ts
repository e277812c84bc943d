/** `climax approve`: what a person sees and types, and what is written down of it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type Approval, Approvals } from "../../../src/call/approvals.ts";
import { FileStore } from "../../../src/state/file_store.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, climaxOnTerminal, ends } from "./_climax.ts";

interface Place {
  readonly settings: { readonly cwd: string; readonly env: Record<string, string> };
  run(...words: string[]): ReturnType<typeof climax>;
  answers(): Promise<Approval[]>;
}

/** A folder of state in which calls wait by these ids. */
async function withCalls(ids: readonly string[], use: (place: Place) => Promise<void>) {
  await using dir = await scratch();
  const state = join(dir.path, "state");
  const store = await FileStore.open(join(state, ".climax-logins"), "approvals");
  const approvals = new Approvals(store);
  try {
    for (const [at, id] of ids.entries()) {
      const call = {
        ...{ id, key: id, client: "cursor", tool: "git_push", pid: 0 },
        words: `An agent wants to call git_push (destructive):\n["git","push","${id}"]` +
          (id === "writes"
            ? `\nin the directory /srv/project\nwith this${"\n| +a\u001b".repeat(30)}`
            : ""),
        ...(id === "scoped" && {
          whole: "All\nof it",
          refusalKey: "no",
          scopes: ["folder", "tool"].map((choice) => ({
            choice,
            key: choice,
            words: `any ${choice}`,
          })),
        }),
        line: `git push ${id}\u202e`,
        directory: "/srv/project",
        since: Date.now() - 120_000 + at,
        until: Date.now() + 120_000,
      };
      await store.putFields("approvals:waiting", { [id]: JSON.stringify(call) });
    }
    const settings = { cwd: dir.path, env: { CLIMAX_STATE_DIR: state, USER: "ada" } };
    await use({
      settings,
      run: (...words) => climax(["approve", ...words], settings),
      answers: () => approvals.list(),
    });
  } finally {
    approvals.close();
  }
}

Deno.test("climax approve lists all that a call would write", () =>
  withCalls(["writes"], async ({ run }) => {
    const { stdout } = await ends(run("--list"), { code: 0 });
    const [, , , line, directory, input, ...content] = stdout.trimEnd().split("\n");
    assert.deepEqual([line, directory, input].map((each) => each?.trim()), [
      '["git","push","writes"]',
      "in the directory /srv/project",
      "with this",
    ]);
    assert.deepEqual(content, Array(30).fill("    | +a\\x1b"));
  }));

Deno.test("climax approve lists what waits, and what was answered", () =>
  withCalls(["aaaaaa", "bbbbbb"], async ({ run, answers }) => {
    const listed = await ends(run(), { code: 0 });
    assert.equal(
      listed.stdout,
      "ID      TOOL      CLIENT  SINCE, OR ANSWER\n" +
        ["aaaaaa", "bbbbbb"].map((id) => {
          return `${id}  git_push  cursor  2 min ago\n    An agent wants to call git_push (destructive):\n    ["git","push","${id}"]\n`;
        }).join(""),
    );
    assert.equal(
      listed.stderr,
      "  hint: climax approve ID --yes, --no, --session [folder|tool], --always or --show\n",
    );
    await ends(run("aaaaaa", "--always"), {
      code: 0,
      stdout: "Allowed until you take it back, with --forget\n" +
        'An agent wants to call git_push (destructive):\n["git","push","aaaaaa"]\n',
    });
    const [answer] = await answers();
    assert.deepEqual([answer!.choice, answer!.by, answer!.how], [
      "always",
      "ada",
      "climax approve",
    ]);
    const { waiting, answers: given } = JSON.parse((await run("--json")).stdout);
    assert.deepEqual(waiting.map(({ id }: { id: string }) => id), ["bbbbbb"]);
    assert.deepEqual(Object.keys(waiting[0]), [
      ...["id", "client", "tool", "words", "line", "directory", "since", "until"],
    ]);
    assert.equal(given[0].choice, "always");
    assert.match((await run("--list")).stdout, /^aaaaaa {2}git_push {2}cursor {2}always, by ada$/m);
    await ends(run("none", "--forget"), { code: 2, stderr: /No answer has the ID 'none'/ });
    await ends(run("aaaaaa", "--forget"), { code: 0, stdout: "Took back 1 answer\n" });
    await run("bbbbbb", "--no");
    await ends(run("--list"), {
      stdout: /^No call waits for a yes\nID .*\nbbbbbb .* no, by ada\n/,
    });
  }));

Deno.test("climax approve shows all of a question, and answers for what it offers", () =>
  withCalls(["scoped", "aaaaaa"], async ({ run, answers }) => {
    const offers = "folder allows any folder\ntool allows any tool\n";
    await ends(run("scoped", "--show"), { code: 0, stdout: `All\nof it\n${offers}` });
    const [{ scopes, ...shown }] = JSON.parse((await run("--json")).stdout).waiting;
    assert.deepEqual([scopes[0], "refusalKey" in shown], [
      { choice: "folder", words: "any folder" },
      false,
    ]);
    const none =
      /'folder' is not offered for 'aaaaaa'\n {2}hint: Its answers: yes, no, session, always\n/;
    await ends(run("aaaaaa", "--session", "folder"), { code: 2, stderr: none });
    await ends(run("scoped", "--session", "tool"), {
      code: 0,
      stdout: /^Allowed with all that its tool/,
    });
    await ends(run("--session", "aaaaaa"), {
      code: 0,
      stdout: /^Allowed until the server that calls next ends/,
    });
    assert.deepEqual((await answers()).map(({ choice, line }) => [choice, line]), [
      ["tool", "any tool"],
      ["session", "git push aaaaaa\u202e"],
    ]);
  }));

const refused: readonly [words: readonly string[], code: number, said: RegExp][] = [
  [["zzzzzz", "--yes"], 2, /No call waits as 'zzzzzz'\n {2}hint: climax approve --list/],
  [["--yes"], 2, /--yes is for one call\n {2}hint: climax approve ID --yes/],
  [["aaaaaa", "--yes", "--no"], 2, /--yes excludes --no/],
  [["aaaaaa", "--yes", "--follow"], 2, /--yes is for one call/],
  [["--state", "valkey://127.0.0.1:1"], 2, /--state requires --signing-key/],
];

for (const [words, code, said] of refused) {
  Deno.test(`climax approve ${words.join(" ")} is refused`, () =>
    withCalls(["aaaaaa"], async ({ run, answers }) => {
      await ends(run(...words), { code, stdout: "", stderr: said });
      assert.deepEqual(await answers(), []);
    }));
}

Deno.test("climax approve answers nothing in a program that a call has started", () =>
  withCalls(["aaaaaa"], async ({ settings, answers }) => {
    const env = { ...settings.env, CLIMAX_CALL: "1.1.000000000000000000000000" };
    await ends(climax(["approve", "aaaaaa", "--yes"], { ...settings, env }), {
      code: 2,
      stderr: /A program that an agent has called approves nothing/,
    });
    assert.deepEqual(await answers(), []);
  }));

/** What a person types, and the answers that this gives. */
const typed: readonly [keys: string, choices: readonly string[]][] = [
  ["yes\nno\n", ["yes", "no"]],
  ["later\nalways\n", ["always"]],
  ["s\ny\n", ["session", "yes"]],
  ["maybe\n", []],
  ["maybe\nyes\nn\n", ["yes", "no"]],
  ["\nyes\n", ["yes"]],
  ["", []],
];

for (const [stdin, choices] of typed) {
  Deno.test(`climax approve asks at a terminal: ${JSON.stringify(stdin)}`, () =>
    withCalls(["aaaaaa", "bbbbbb"], async ({ settings, answers }) => {
      const env = { ...settings.env, TERM: "dumb" };
      const seen = await climaxOnTerminal(["approve"], { ...settings, env, stdin });
      assert.match(seen, /cursor, 2 min ago: An agent wants to call git_push \(destructive\):\s/);
      assert.match(
        seen,
        /\["git","push","aaaaaa"\]\s+Allow it\? \[later, yes, no, session, always\]/,
      );
      assert.deepEqual(
        (await answers()).map(({ choice }) => choice).toSorted(),
        choices.toSorted(),
      );
    }));
}
