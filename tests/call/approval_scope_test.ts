/** Answers for more than the same call: what they allow, and by which ways none becomes wider. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Approvals } from "../../src/call/approvals.ts";
import { call } from "../../src/call/call.ts";
import type { CallOptions } from "../../src/call/pipeline.ts";
import { FileStore } from "../../src/state/file_store.ts";
import type { Session } from "../../src/session/session.ts";
import { textOf } from "../../src/tool/result.ts";
import type { Ask } from "../../src/tool/runner.ts";
import { scratch } from "../e2e/_scratch.ts";
import { settle } from "../_clock.ts";
import { until } from "../_wait.ts";
import { unix } from "../_requirements.ts";
import { withDirectory } from "../_io.ts";
import { sessionOf } from "../_session.ts";

const path = { name: "path", required: true, within: "." };
const text = { name: "text", text: "multiline" };
const dir = { name: "dir", cwd: true };
const edit = {
  name: "edit",
  command: "echo",
  effect: "write",
  open_world: false,
  args: [
    path,
    text,
    dir,
    { name: "to", within: "." },
    { name: "force", type: "boolean", flag: "-f" },
    { name: "secret", text: "multiline", flag: "-s" },
    { name: "word", flag: "-w" },
    { name: "ruled", text: "multiline", pattern: "[^x]*", flag: "-r" },
  ],
};
const many = { ...path, type: "array" };
const tools = [
  edit,
  { ...edit, name: "other" },
  { ...edit, name: "stage", args: [many, dir] },
  { ...edit, name: "note", args: [{ ...text, required: true }, { name: "word", flag: "-w" }, dir] },
  { ...edit, name: "drop", effect: "destructive" },
  { ...edit, name: "push", open_world: true },
  { ...edit, name: "unsure", effect: undefined },
  { ...edit, name: "build", requires: "sandbox" },
  { ...edit, name: "plain", args: [{ name: "word" }, dir] },
];
const policy = {
  default: "enabled",
  confirm: "write",
  tools: { edit: { args: { secret: { secret: true } } } },
};

interface Scene {
  readonly dir: string;
  /** Calls a tool, by default `edit`; the person chooses `remember`, and is asked by `asked`. */
  run(
    args: object,
    options?: CallOptions & { remember?: string; tool?: string; on?: Session },
  ): Promise<string>;
  /** The last question offers these scopes, by their choices. */
  offers(): Record<string, string>;
  /** The number of questions. */
  count(): number;
  server(more?: { policy?: object; tools?: readonly object[] }): Promise<Session>;
  readonly approvals: Approvals;
}

async function scene(use: (scene: Scene) => Promise<void>): Promise<void> {
  await using place = await scratch({
    "src/a.ts": "",
    "src/deep/b.ts": "",
    "src/deep/er/c.ts": "",
    "lib/a.ts": "",
    "SRC/a.ts": "",
  });
  using _ = withDirectory(place.path);
  await using closing = new AsyncDisposableStack();
  const store = await FileStore.open(join(place.path, "state"), "approvals");
  const approvals = closing.adopt(new Approvals(store), (each) => each.close());
  const server: Scene["server"] = async (more = {}) => {
    return closing.use(
      await sessionOf({ tools: more.tools ?? tools }, {
        policy: { file: "p.yaml", text: JSON.stringify(more.policy ?? policy) },
        approvals: () => Promise.resolve(approvals),
      }),
    );
  };
  const session = await server();
  let form: { enum: string[]; enumNames: string[] } | undefined;
  let count = 0;
  await use({
    dir: place.path,
    approvals,
    server,
    count: () => count,
    offers: () => {
      const rows = form?.enum.map((name, at) => [name, form!.enumNames[at]!] as const) ?? [];
      return Object.fromEntries(
        rows.filter(([name]) => /folder|tool/.test(name)).map(([name, words]) => {
          return [
            name,
            words.replaceAll(place.path, "~").replace(/^Yes to (.*), until climax.*/, "$1"),
          ];
        }),
      );
    },
    async run(args, { remember, tool = "edit", on = session, ...options } = {}) {
      const ask: Ask = (question) => {
        count++;
        assert.ok(question.mode === "form");
        const { properties } = question.requestedSchema as { properties: { remember?: never } };
        form = properties.remember;
        return Promise.resolve(
          remember === undefined
            ? { action: "cancel" }
            : { action: "accept", content: { run: true, remember } },
        );
      };
      return textOf(
        await call(on, { tool, args }, { ask, client: "test", via: "stdio", ...options }),
      );
    },
  });
}

/** What is offered for a call: the folder of its paths, and all that the tool may use. */
const offers: readonly [
  tool: string,
  args: object,
  folder: string | undefined,
  tool: string | undefined,
][] = [
  ["edit", { path: "src/a.ts" }, "edit below ~/src", "edit below ~"],
  [
    "edit",
    { path: "src/a.ts", text: "x", force: true },
    "edit below ~/src, with any text, all else the same",
    "edit below ~, with any text, all else the same",
  ],
  ["edit", { path: "a.ts" }, "edit below ~", undefined],
  ["edit", { path: "src/a.ts", to: "src/deep/n" }, "edit below ~/src", "edit below ~"],
  ["edit", { path: "a.ts", dir: "src" }, "edit below ~/src", undefined],
  [
    "stage",
    { path: ["src/deep/b.ts", "src/deep/er/c.ts"] },
    "stage below ~/src/deep",
    "stage below ~",
  ],
  ["note", { text: "x" }, undefined, "note in ~, with any text"],
  [
    "note",
    { text: "x", word: "y", dir: "src" },
    undefined,
    "note in ~/src, with any text, all else the same",
  ],
  ["drop", { path: "src/a.ts" }, undefined, undefined],
  ["push", { path: "src/a.ts" }, undefined, undefined],
  ["unsure", { path: "src/a.ts" }, undefined, undefined],
  ["build", { path: "src/a.ts" }, undefined, undefined],
  ["plain", { word: "a" }, undefined, undefined],
  ["edit", { path: "src/../src/a.ts" }, undefined, undefined],
  ["stage", { path: ["src/a.ts", ":!x"] }, undefined, undefined],
  ["stage", { path: "." }, undefined, undefined],
];

unix.test("a question offers the folder of its paths and all that the tool may use, if the call is mild", () =>
  scene(async ({ run, offers: shown }) => {
    for (const [tool, args, folder, all] of offers) {
      await run(args, { tool });
      const expected = { ...(folder && { folder }), ...(all && { tool: all }) };
      assert.deepEqual(shown(), expected, JSON.stringify([tool, args]));
    }
  }));

const given = { path: "src/deep/b.ts", text: "x", secret: "s", word: "w", ruled: "r" };

/** Calls after a yes to `edit` below `src/deep`: whether that yes is for them. */
const others: readonly [what: string, args: object, isAllowed: boolean, options?: object][] = [
  ["another file and text", { path: "src/deep/new.ts", text: "other\nlines" }, true],
  ["a folder below", { path: "src/deep/er/c.ts" }, true],
  ["another spelling of the path", { path: "./src//deep/./b.ts" }, true],
  ["the folder above", { path: "src/a.ts" }, false],
  ["the folder itself", { path: "src/deep" }, false],
  ["another folder that begins alike", { path: "src/deeper.ts" }, false],
  ["..", { path: "src/deep/../a.ts" }, false],
  ["a way back by ..", { path: "src/deep/../deep/b.ts" }, false],
  ["a link to a file elsewhere", { path: "src/deep/link.ts" }, false],
  ["a link to a folder elsewhere", { path: "src/deep/away/a.ts" }, false],
  ["a link into the folder", { path: "alias/b.ts" }, false],
  ["another case", { path: "SRC/deep/b.ts" }, false],
  ["letters that look alike", { path: "src/d\u0435ep/b.ts" }, false],
  ["a decomposed name", { path: "src/deep\u0301/b.ts" }, false],
  ["a glob", { path: "src/*/b.ts" }, false],
  ["another directory", { path: "deep/b.ts", dir: "src" }, false],
  ["the same directory by name", { dir: "." }, true],
  ["a second path", { to: "lib/x" }, false],
  ["a second path in the folder, which was not given", { to: "src/deep/x" }, false],
  ["no text", { text: undefined }, false],
  ["a flag", { force: true }, false],
  ["another secret", { secret: "t" }, false],
  ["another word", { word: "v" }, false],
  ["another text that has a rule", { ruled: "q" }, false],
  ["another tool", {}, false, { tool: "other" }],
  ["another client", {}, false, { client: "eve" }],
  ["another client of the same name over HTTP", {}, false, { via: "http" }],
  ["an owner of the same name", {}, false, { owner: "test" }],
];

unix.test("a yes to a folder is for paths in it and any text, and for nothing else", () =>
  scene(async ({ run, count, dir }) => {
    await Deno.symlink("../../lib/a.ts", join(dir, "src/deep/link.ts"));
    await Deno.symlink("../../lib", join(dir, "src/deep/away"));
    await Deno.symlink("src/deep", join(dir, "alias"));
    await run(given, { remember: "folder" });
    for (const [what, args, isAllowed, options] of others) {
      const before = count();
      await run({ ...given, ...args }, options);
      assert.equal(count() - before, isAllowed ? 0 : 1, what);
    }
    await run({ ...given, path: "src/a.ts" }, { remember: "tool" });
    const before = count();
    await run({ ...given, path: "lib/a.ts" });
    assert.equal(count(), before);
  }));

unix.test("a yes to a folder ends with the folder, the config, the policy, the session and --forget", () =>
  scene(async ({ run, count, dir, server, approvals }) => {
    const isAsked = async (options: object = {}) => {
      const before = count();
      await run(given, options);
      return count() > before;
    };
    await run(given, { remember: "folder" });
    const changed = [{ ...edit, timeout: 7 }, ...tools.slice(1)];
    assert.equal(await isAsked({ on: await server() }), false);
    assert.equal(await isAsked({ on: await server({ tools: changed }) }), true);
    assert.equal(
      await isAsked({ on: await server({ policy: { ...policy, deny: ["drop"] } }) }),
      true,
    );
    const [answer] = await approvals.list();
    assert.match(answer!.line, /^edit below .*\/src\/deep, with any text, all else the same$/);
    // Another folder by the same name
    await Deno.rename(join(dir, "src/deep"), join(dir, "src/gone"));
    await Deno.mkdir(join(dir, "src/deep"));
    assert.equal(await isAsked(), true);
    await run(given, { remember: "folder" });
    assert.equal(await isAsked(), false);
    assert.equal(await approvals.forget(), 2);
    assert.equal(await isAsked(), true);
    const other = new Approvals(await FileStore.open(join(dir, "state"), "approvals"));
    await run(given, { remember: "folder" });
    const keys = (await approvals.list()).map(({ id }) => id);
    assert.equal(keys.length, 1);
    assert.equal((await other.list()).length, 1);
    other.close();
  }));

unix.test("a call that waits for a permit is refused if a link leads elsewhere by then", () =>
  scene(async ({ run, dir, server }) => {
    const on = await server();
    assert.match(await run(given, { remember: "folder", on }), /src\/deep/);
    const places: (() => void)[] = [];
    while (on.semaphore.waiting === 0) {
      const place = on.semaphore.acquire();
      await Promise.race([place, settle()]);
      if (on.semaphore.waiting === 0) places.push(await place as () => void);
      else void place.then((release) => (release as () => void)());
    }
    const waiting = run(given, { on });
    await until(() => on.semaphore.waiting === 2, "the call that waits");
    await Deno.rename(join(dir, "src/deep"), join(dir, "src/gone"));
    await Deno.symlink("../lib", join(dir, "src/deep"));
    for (const release of places) release();
    assert.match(await waiting, /has changed since the person agreed to it/);
  }));

unix.test("a person's choice that is not offered allows the call once", () =>
  scene(async ({ run, count }) => {
    const args = { path: "src/a.ts" };
    await run(args, { tool: "drop", remember: "folder" });
    await run(args, { tool: "drop" });
    assert.equal(count(), 2);
  }));

unix.test("a yes of a client over HTTP that has no name counts once", () =>
  scene(async ({ run, count }) => {
    const unnamed = { client: undefined, via: "http" } as const;
    for (const remember of ["session", "always", "folder"]) {
      await run(given, { remember, ...unnamed });
    }
    assert.equal(count(), 3);
  }));

unix.test("a no counts more than a yes to a scope", () =>
  scene(async ({ run, approvals }) => {
    await run(given, { remember: "none" });
    await run(given, {});
    const [waits] = await approvals.waiting();
    await approvals.answer(waits!.id, "no", { by: "ada", how: "climax ui" });
    await run({ ...given, text: "y" }, { remember: "folder" });
    assert.match(await run(given), /the person declined it\n/);
    assert.match(await run({ ...given, text: "z" }), /z/);
  }));
