/**
 * Descriptions, instructions and questions about a project's own code are true: they name the sandbox or its absence, and
 * show the code. A config cannot know the first, so no config says it.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../src/call/call.ts";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { classicSurface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import { openSession, type Session } from "../../src/session/session.ts";
import { textOf } from "../../src/tool/result.ts";
import { withDirectory } from "../_io.ts";
import { programs } from "../_requirements.ts";
import { place, sandboxed } from "../_sandbox.ts";
import { exists, scratch } from "./_scratch.ts";

const nothing = "Nothing confines it: it may do what the user of climax may, network included";
const asks = { file: "ask.yaml", text: "default: enabled\nconfirm: destructive\n" };

/** Calls a tool; the answer of the person, and the question that was put. */
async function ask(session: Session, tool: string, args: object, isYes: boolean) {
  let question = "";
  const result = await call(session, { tool, args }, {
    ask: (asked) => {
      question = asked.message;
      return Promise.resolve(
        isYes ? { action: "accept", content: { run: true } } : { action: "decline" },
      );
    },
  });
  return { question, text: textOf(result), isError: result.isError };
}

Deno.test("no bundled config says what holds its programs, or whom climax asks", async () => {
  const all = [...bundledConfigs.keys()];
  await using session = await openSession({ configs: all, policy: asks });
  const running = session.index.tools.filter(({ requires }) => requires !== undefined);
  assert.ok(running.length > 15);
  for (const tool of running) assert.ok(tool.description.endsWith(`. ${nothing}`), tool.name);
  const claim = /sandbox|confin|isolat|network access|without (?:a )?network|confirm|approv/i;
  for (const { name, description, owner, args } of session.index.tools) {
    const texts = [description.replace(nothing, ""), owner.description];
    for (const text of [...texts, ...args.map((arg) => arg.description)]) {
      assert.doesNotMatch(text, claim, name);
    }
  }
});

const manifest = {
  name: "shop",
  scripts: {
    build: "node -e \"fs.writeFileSync('OUT', 'x')\"",
    prebuild: "echo before",
    test: "exit 3",
  },
};

const npm = await programs({ npm: ["--version"] });

npm.test("a question about a script of a project shows it, and says that nothing confines it", async () => {
  await using dir = await scratch({ "package.json": JSON.stringify(manifest) });
  using _ = withDirectory(dir.path);
  await using session = await openSession({ configs: ["npm"], policy: asks });
  for (const surface of [discoverySurface(session), classicSurface(session)]) {
    assert.match(
      surface.instructions,
      new RegExp(`own code: .*npm_test, npm_run[^.]*. ${nothing}\\.`),
    );
  }
  const no = await ask(session, "npm_run", { script: "build" }, false);
  assert.match(no.question, new RegExp(`\n${nothing}\nnpm says that it would do this:\n`));
  assert.ok(no.question.includes('"scripts[build]": "node -e'), no.question);
  assert.ok(no.question.includes('"scripts[prebuild]": "echo before"'), no.question);
  assert.equal(await exists(join(dir.path, "OUT")), false);
  const test = await ask(session, "npm_test", {}, false);
  assert.ok(test.question.includes('"scripts[test]": "exit 3"'), test.question);
  const yes = await ask(session, "npm_run", { script: "build" }, true);
  assert.equal(yes.isError, false, yes.text);
  assert.equal(await exists(join(dir.path, "OUT")), true);
});

const make = await programs({ make: ["--version"] });
const makefile = "SEEN := $(shell touch RAN)\nall:\n\ttouch MADE\n";

make.test("make runs no part of a project before a yes, and the question says that it cannot show more", async () => {
  await using dir = await scratch({ Makefile: makefile });
  using _ = withDirectory(dir.path);
  await using session = await openSession({ configs: ["make"], policy: asks });
  const { question } = await ask(session, "make_run", {}, false);
  assert.match(
    question,
    new RegExp(`\n${nothing}\nWhat it would do is not shown: to tell it, `),
  );
  assert.equal(await exists(join(dir.path, "RAN")), false);
  // A yes is for the files that were there, and for one call
  const result = await call(session, { tool: "make_run" }, {
    ask: async (asked) => {
      assert.doesNotMatch(JSON.stringify(asked), /"remember"/);
      await Deno.writeTextFile(join(dir.path, "Makefile"), "all:\n\ttouch EVIL\n");
      return { action: "accept", content: { run: true, remember: "always" } };
    },
  });
  assert.match(textOf(result), /has changed since the person agreed to it/);
  assert.equal(await exists(join(dir.path, "EVIL")), false);
});

npm.test("a script that cannot be shown does not run without a sandbox", async () => {
  await using dir = await scratch({ "package.json": JSON.stringify(manifest), "sub/a": "" });
  using _ = withDirectory(dir.path);
  await using session = await openSession({ configs: ["npm"], policy: asks });
  const result = await ask(session, "npm_run", { script: "build", directory: "sub" }, true);
  assert.equal(result.question, "");
  assert.match(result.text, /^Call refused: what it would run cannot be shown: /);
  assert.equal(await exists(join(dir.path, "OUT")), false);
});

sandboxed.test("in a sandbox, descriptions and questions say what it leaves open", async () => {
  await using dir = await place();
  await Deno.writeTextFile(join(dir.path, "Makefile"), "all:\n\ttouch MADE\n");
  const folder = await Deno.realPath(dir.path);
  using _ = withDirectory(folder);
  const words = `In a sandbox: writes in ${folder}; no network`;
  await using session = await openSession({ configs: ["make"], policy: asks, sandbox: true });
  const [tool] = session.index.tools;
  assert.ok(tool!.description.endsWith(`. ${words}`), tool!.description);
  assert.ok(discoverySurface(session).instructions.includes(`own code: make_run. ${words}`));
  const { question } = await ask(session, "make_run", {}, false);
  assert.ok(
    question.includes(`\n${words}\nmake says that it would do this:\n| touch MADE`),
    question,
  );
  assert.equal(await exists(join(dir.path, "MADE")), false);
  const text = `${asks.text}tools: { make_run: { sandbox: { network: host, write: [] } } }\n`;
  await using other = await openSession({ configs: ["make"], policy: { file: "p", text } });
  assert.match(other.index.tools[0]!.description, /\. In a sandbox: writes nowhere; network$/);
});

Deno.test("in a container, descriptions say so", async () => {
  const executors = [
    ["{ type: docker, image: node:22, network: none }", "In a container of node:22: no network"],
    ["{ type: docker, image: node:22 }", "In a container of node:22: network"],
  ] as const;
  for (const [executor, words] of executors) {
    const policy = { file: "p", text: `${asks.text}executor: ${executor}\n` };
    await using session = await openSession({ configs: ["make"], policy });
    assert.ok(session.index.tools[0]!.description.endsWith(`. ${words}`), words);
  }
});
