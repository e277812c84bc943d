/**
 * The profile for macOS's `sandbox-exec`, as text: no Mac has run it. What `sandbox-exec` does with it is tried on each
 * Mac before the first program, which a stand-in that holds nothing shows here.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { examineSeatbelt, type SeatbeltPlan, seatbeltWords } from "../../src/exec/_seatbelt.ts";
import { TemporaryFolder } from "../../src/exec/_sandbox_end.ts";
import { flushBackground } from "../../src/exec/background_work.ts";
import { run } from "../../src/exec/run.ts";
import type { Access } from "../../src/exec/_file_rules.ts";
import { fixturePath } from "../_fixtures.ts";
import { unixTest } from "../_requirements.ts";
import { writeProgram } from "../e2e/_scratch.ts";
import { place } from "../_sandbox.ts";

unixTest(
  "TemporaryFolder is gone at the end of a call, of a server, and where nothing was started",
  async () => {
    for (const end of ["endCall", "endServer", "remove"] as const) {
      const temporary = new TemporaryFolder();
      await Deno.writeTextFile(join(temporary.path, "file"), "");
      const { removeSync } = Deno;
      try {
        // What a program left may be much
        Deno.removeSync = () => assert.fail("the event loop waits");
        temporary[end]();
      } finally {
        Deno.removeSync = removeSync;
      }
      await flushBackground();
      await assert.rejects(Deno.lstat(temporary.path), Deno.errors.NotFound);
      assert.equal(temporary.endsProcesses, false);
    }
  },
);

function folder(path: string, access: Access) {
  return { path, access, isDirectory: true };
}

const home = "/Users/ada";
const plan: SeatbeltPlan = {
  seen: [
    folder("/", "read"),
    folder("/private/tmp", "private"),
    folder(`${home}/.ssh`, "hidden"),
    { path: `${home}/.netrc`, access: "hidden", isDirectory: false },
    folder(`${home}/work`, "write"),
    folder(`${home}/work/.git`, "read"),
    folder(`${home}/work/secrets`, "hidden"),
  ],
  open: [".vscode", ".mcp.json"].map((name) => ({ path: `${home}/work/${name}`, isPinned: true })),
  network: "none",
  temporary: "/private/var/folders/x/T/climax-1",
};

/** The profile and its parameters as one text. */
function textOf(words: readonly string[]): string {
  const at = words.indexOf("-p");
  assert.deepEqual(words.slice(at + 2), ["--"]);
  return `${words.slice(0, at).map((each) => `; ${each}`).join("\n")}\n${words[at + 1]}`;
}

const golden: readonly (readonly [file: string, plan: SeatbeltPlan])[] = [
  ["usual.sb", plan],
  ["host.sb", { ...plan, network: "host" }],
  ["few.sb", {
    ...plan,
    seen: [
      folder("/", "hidden"),
      { ...folder("/etc", "read"), link: "/private/etc" },
      folder("/usr", "read"),
      folder(`${home}/work`, "write"),
    ],
  }],
];

for (const [file, given] of golden) {
  Deno.test(`seatbeltWords() writes ${file}`, async () => {
    const expected = await Deno.readTextFile(fixturePath("seatbelt", file));
    assert.equal(textOf(seatbeltWords(given)), expected);
  });
}

/** Names that would end a text, a rule or a comment of a profile. */
const names = [
  ...[`a"b`, "a\\b", "a\\", "a\nb", "a)(allow default)", `a") (allow file-write* (subpath "/`],
  ...[`a" (allow default) "`, "a;b", "a#b", "$HOME", "-DP0=/", "a=b", "é ü 漢字 🙂", "a\u0301"],
  ...["a\tb\rc", "[^x]*", "@", "(param P0)"],
];

for (const name of names) {
  unixTest(`seatbeltWords() keeps ${JSON.stringify(name)} out of the profile`, () => {
    const work = `${home}/${name}`;
    const words = seatbeltWords({
      ...plan,
      seen: [folder("/", "read"), folder(work, "write"), folder(`${work}/.git`, "read")],
      open: [{ path: `${work}/.mcp.json`, isPinned: true }],
      temporary: `/private/tmp/${name}`,
    });
    const plain = seatbeltWords({
      ...plan,
      seen: [
        folder("/", "read"),
        folder(`${home}/work`, "write"),
        folder(`${home}/work/.git`, "read"),
      ],
      open: [{ path: `${home}/work/.mcp.json`, isPinned: true }],
      temporary: `/private/tmp/work`,
    });
    const profileOf = (all: readonly string[]) => all[all.indexOf("-p") + 1];
    assert.equal(profileOf(words), profileOf(plain));
    assert.equal(words.some((each) => each.startsWith("-DP") && each.endsWith(`=${work}`)), true);
    // The same name in another case, and no other
    const rule = words.find((each) => each.includes("=^"))!;
    const pattern = new RegExp(rule.slice(rule.indexOf("=") + 1));
    for (const fits of [".mcp.json", ".MCP.json", ".mcp.json/x"]) {
      assert.match(`${work}/${fits}`, pattern);
    }
    for (const other of ["mcp.json", "x.mcp.json", ".mcp.json5", "a/.mcp.json"]) {
      assert.doesNotMatch(`${work}/${other}`, pattern);
    }
  });
}

Deno.test("seatbeltWords() denies after it allows, and hides after it shows", () => {
  const words = seatbeltWords(plan);
  const profile = words[words.indexOf("-p") + 1]!;
  const index = (path: string) => words.findIndex((each) => each.endsWith(`=${path}`));
  const last = (path: string, verb: string, what: string) => {
    return profile.lastIndexOf(`(${verb} ${what} (subpath (param "P${index(path)}")))`);
  };
  const writes = "file-read* file-write* process-exec";
  const allowed = last(`${home}/work`, "allow", writes);
  assert.equal(allowed > 0, true);
  assert.equal(last(`${home}/work/.git`, "deny", "file-write*") > allowed, true);
  assert.equal(last(`${home}/work/secrets`, "deny", writes) > allowed, true);
  assert.doesNotMatch(
    profile,
    /\(allow (?:default|network\*|mach-lookup\)|file-write\* \(subpath "\/"\))/,
  );
});

Deno.test("seatbeltWords() holds the folders above what is hidden where all may be written", () => {
  const words = seatbeltWords({
    ...plan,
    seen: [
      folder("/", "write"),
      folder("/other", "write"),
      folder(`${home}/work/secrets`, "hidden"),
    ],
    open: [],
  });
  const profile = words[words.indexOf("-p") + 1]!;
  for (const path of [home, `${home}/work`]) {
    const parameter = words.find((each) => each.endsWith(`=${path}`))?.slice(2).split("=")[0];
    const rule = `(deny file-write-unlink (require-all (literal (param "${parameter}"))`;
    assert.equal(profile.includes(rule), true, path);
  }
});

Deno.test({
  name: "on a Mac a sandbox holds, or is refused",
  ignore: Deno.build.os !== "darwin",
  async fn() {
    await using dir = await place();
    await Deno.writeTextFile(join(dir.path, "key"), "KEY");
    const { ending, stdout } = await run({
      argv: ["/bin/sh", "-c", "cat key; touch new; touch ../new || echo held"],
      cwd: dir.path,
      env: {},
      timeoutMs: 20_000,
      sandbox: { write: [dir.path], read: ["/"], hide: [join(dir.path, "key")], network: "none" },
    });
    if (ending.kind === "not started") assert.equal(ending.failure, "no sandbox");
    else assert.equal(stdout.text, "held\n");
  },
});

const standIns: readonly (readonly [what: string, script: string, said: RegExp])[] = [
  [
    "holds nothing",
    'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
    /does not hold: it may be written outside, what is hidden can be read, a protected name can be created/,
  ],
  ["refuses the profile", "echo 'sandbox-exec: unbound variable' >&2; exit 65", /unbound variable/],
  ["says nothing", "exit 0", /exit code 0/],
  ["lets signals through", "echo signal; echo done", /does not hold: other processes get signals$/],
  ["inherits a descriptor", "echo 'fd 3'; echo 'fd 4'; echo done", /open descriptors \(4\)/],
  ["holds", "echo 'fd 0'; echo 'fd 3'; echo done", /^$/],
];

for (const [what, script, said] of standIns) {
  unixTest(`examineSeatbelt() tries a sandbox-exec that ${what}`, async () => {
    await using dir = await place();
    const program = join(dir.path, "sandbox-exec");
    const text = `#!/bin/sh\nprintf '%s\n' "$@" >'${program}.words'\n${script}\n`;
    writeProgram(program, text);
    const support = await examineSeatbelt(program);
    assert.match(support.ok ? "" : support.problem.message, said);
    const words = await Deno.readTextFile(`${program}.words`);
    const [, number, hidden] = /^-DP(\d)=(.*\/hidden)$/m.exec(words)!;
    const rule = `(deny file-read* file-write* process-exec (subpath (param "P${number}`;
    assert.ok(words.includes(rule));
    await flushBackground();
    await assert.rejects(Deno.lstat(hidden!), Deno.errors.NotFound);
  });
}
