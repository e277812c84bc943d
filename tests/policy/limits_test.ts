/** What the author of a tool has against values; links and `..` are also in paths_test.ts. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { checkLimits } from "../../src/policy/check.ts";
import { protect } from "../../src/process/protected_paths.ts";
import type { Arg, Limits } from "../../src/tool/tool.ts";
import { scratch } from "../e2e/_scratch.ts";
import { argOf } from "../_tools.ts";
import { assertLinear } from "../_growth.ts";
import { unix } from "../_requirements.ts";

async function withTree(use: (base: string) => Promise<void>): Promise<void> {
  await using dir = await scratch();
  const base = join(dir.path, "work");
  for (const path of [".git/hooks", "src", "Some.git", ".config", "../outside"]) {
    await Deno.mkdir(join(base, path), { recursive: true });
  }
  await Deno.symlink(".git", join(base, "link"));
  await Deno.symlink("../outside", join(base, "out"));
  await Deno.symlink("src", join(base, "in"));
  await use(base);
}

async function refusalOf(
  value: string,
  limits: Limits,
  { arg = {}, ...place }: {
    arg?: Partial<Arg>;
    directory?: string;
    home?: string;
    isElsewhere?: boolean;
  },
): Promise<string | undefined> {
  const args = [argOf("x", { limits, ...arg })];
  const [objection] = await checkLimits(args, new Map([["x", value]]), place);
  return objection?.text.replace(/^Argument 'x': /, "");
}

const paths: readonly [path: string, never: readonly string[], refused: boolean][] = [
  ["src/a", [".git"], false],
  ["new/name", [".git"], false],
  [".", [".git"], false],
  ["*.ts", [".git"], false],
  ["Some.git/x", [".git"], false],
  [".gitignore", [".git"], false],
  ["in/a", [".git"], false],
  [".git", [".git"], true],
  [".git/hooks/pre-commit", [".git"], true],
  ["src/../.git/config", [".git"], true],
  ["sub/.git/config", [".git"], true],
  [".GIT/config", [".git"], true],
  [".Git", [".git"], true],
  ["GIT~1/config", [".git"], true],
  [".g\u200cit/config", [".git"], true],
  [".git./config", [".git"], true],
  [".git /config", [".git"], true],
  [".git::$INDEX_ALLOCATION/config", [".git"], true],
  [".git\\config", [".git"], true],
  ["．git/config", [".git"], true],
  ["link/config", [".git"], true],
  ["../work/.git", [".git"], true],
  ["../outside/x", [".git"], true],
  ["out/x", [".git"], true],
  ["..", [".git"], true],
  ["/etc/passwd", [], true],
  ["", [], true],
  [".config/git", [".*"], true],
  ["src/.hidden", [".*"], true],
  ["src/shown", [".*"], false],
  ["./src/../src//shown", [".*"], false],
  ["...", [".*"], true],
  ["．config", [".*"], true],
  ["src/.. ./x", [".*"], true],
  [".env", [".env*"], true],
  ["sub/.env.staging", [".env*"], true],
  [".ENVRC", [".env*"], true],
  ["ENV~1.STA", [".env*"], true],
  ["ENVIRO~2", [".env*"], true],
  ["env.ts", [".env*"], false],
  ["GITIGN~1", [".gitignore"], true],
  ["GITIGNO~1", [".gitignore"], false],
  ["a.env", [".env*"], false],
  ["src/key.PEM", ["*.pem"], true],
  ["xpem", ["*.pem"], false],
];

for (const [path, never, refused] of paths) {
  unix.test(`checkLimits() ${refused ? "refuses" : "takes"} ${JSON.stringify(path)}, never ${never}`, () =>
    withTree(async (directory) => {
      const limits = { within: ".", never };
      const said = await refusalOf(path, limits, { directory });
      assert.equal(said !== undefined, refused, said);
      // A directory to run in is held by where the call would run without it
      const asked = await refusalOf(path, limits, {
        home: directory,
        directory: join(directory, path),
        arg: { role: { kind: "cwd" } },
      });
      if (path !== "" && !path.startsWith("/")) assert.equal(asked !== undefined, refused, asked);
    }));
}

unix.test("checkLimits() holds paths outside of directories that are never allowed", async () => {
  const limits = { within: "/", never: [".git", "/proc", "/dev", "/usr/bin"] };
  const place = { directory: "/" };
  for (const path of ["/proc/self/environ", "dev/zero", "/usr/../proc/1", "/dev", "/PROC/1"]) {
    assert.match(await refusalOf(path, limits, place) ?? "", /never allowed$|cannot be resolved/);
  }
  for (const path of ["/usr/bin", "usr/bin/env", "/USR/./BIN//sh"]) {
    const said = `'${path}' lies in '/usr/bin', which is never allowed`;
    assert.equal(await refusalOf(path, limits, place), said);
  }
  for (const path of ["/etc/passwd", "/processes", "/usr", "/usr/bin2", "/etc/usr"]) {
    assert.equal(await refusalOf(path, limits, place), undefined);
  }
});

unix.test("checkLimits() keeps what decides what this process does from what may change files", () =>
  withTree(async (directory) => {
    const file = protect(join(directory, "src", "policy.yaml"));
    await Deno.writeTextFile(file, "");
    for (const never of [[], [".git"], [".git", ".*"], ["climax.json", ".git"]]) {
      for (const [path, how] of [["src/policy.yaml", "lies in"], ["src", "holds"]] as const) {
        const said = await refusalOf(path, { within: ".", never }, { directory });
        const expected = `'${path}' ${how} '${file}', which is never allowed`;
        assert.equal(said, never.length === 2 ? expected : undefined);
      }
      const place = { home: directory, directory, arg: { role: { kind: "cwd" } } as const };
      assert.equal(await refusalOf("src", { within: ".", never }, place), undefined);
      assert.equal(await refusalOf("new/name", { within: ".", never }, { directory }), undefined);
    }
  }));

unix.test("checkLimits() holds the folder of logins without being told", () =>
  withTree(async (directory) => {
    for (const path of [".climax-logins/a.json", "a/../.CLIMAX-LOGINS", ".climax-logins"]) {
      const said = await refusalOf(path, { within: "." }, { directory });
      assert.match(said ?? "", /'\.climax-logins'|'\.CLIMAX-LOGINS'|cannot be resolved/, path);
    }
  }));

Deno.test("checkLimits() holds paths that are not seen from here by their text", async () => {
  const limits = { within: ".", never: [".git"] };
  const rows: readonly [path: string, directory: string | undefined, refused: boolean][] = [
    ["src/a", undefined, false],
    ["src/../a", undefined, false],
    ["../a", undefined, true],
    ["/etc/passwd", undefined, true],
    [".git/config", undefined, true],
    ["/climax-work/a", "/climax-work", false],
    ["/climax-workshop/a", "/climax-work", true],
    ["/climax-work/../etc", "/climax-work", true],
  ];
  for (const [path, directory, refused] of rows) {
    const place = { isElsewhere: true, ...(directory === undefined ? {} : { directory }) };
    assert.equal(await refusalOf(path, limits, place) !== undefined, refused, path);
  }
});

Deno.test("checkLimits() holds text and numbers, and matches a directory as it is used", async () => {
  assert.equal(
    await refusalOf(":/x", { pattern: "[^:].*" }, {}),
    "value ':/x' does not match pattern '[^:].*'",
  );
  assert.equal(await refusalOf("a:b", { pattern: "[^:].*" }, {}), undefined);
  await assert.rejects(refusalOf("a", { pattern: "(" }, {}), /'\(' is not an RE2 expression/);
  const place = { directory: "/etc", arg: { role: { kind: "cwd" } as const } };
  assert.match(
    await refusalOf("/tmp/x/../../etc", { pattern: "/tmp/x/.*" }, place) ?? "",
    /'\/etc'/,
  );
  const [objection] = await checkLimits(
    [argOf("x", { type: "integer", limits: { max: 3 } })],
    new Map([["x", 4]]),
    {},
  );
  assert.deepEqual(objection, {
    arg: "x",
    rule: "max",
    text: "Argument 'x': value '4' is greater than maximum 3",
  });
});

Deno.test("checkLimits() takes a directory as it is given where the call has none", async () => {
  const arg = { role: { kind: "cwd" } } as const;
  assert.equal(
    await refusalOf("x", { pattern: "y" }, { arg }),
    "value 'x' does not match pattern 'y'",
  );
});

unix.test("checkLimits() refuses where it cannot look", () =>
  withTree(async (base) => {
    const within = { within: "none/.." };
    assert.match(
      await refusalOf("src", within, { directory: base }) ?? "",
      /^'src' cannot be held by 'none\/\.\.': it goes up from what does not exist$/,
    );
    // The text too, wherever the system ends
    assert.equal(
      await refusalOf("src/../.git/../a", { within: ".", never: [".git"] }, { directory: base }),
      "'src/../.git/../a' has a part that is never allowed: '.git'",
    );
    const arg = { role: { kind: "cwd" } } as const;
    const place = { arg, home: base, directory: join(base, "none") };
    assert.match(
      await refusalOf("none", { within: ".", holdsLinks: true }, place) ?? "",
      /^.* cannot be looked at for links: No such file/,
    );
  }));

Deno.test("checkLimits() refuses what contains an excluded text, in whatever case", async () => {
  const limits = { excludes: ["readFile", ";"] };
  const texts: [text: string, found?: string][] = [
    ["read file"],
    ["xREADFILE(1)", "readFile"],
    ["a;b", ";"],
    [""],
  ];
  for (const [text, found] of texts) {
    const expected = found && `'${text}' contains '${found}', which is never allowed`;
    assert.equal(await refusalOf(text, limits, {}), expected || undefined);
  }
});

Deno.test("checkLimits() does not try a pattern on what is far too long", async () => {
  const text = await refusalOf("a".repeat(1_000_000), { pattern: "[ab]*a[ab]{900}" }, {});
  assert.match(text ?? "", /is longer than 32768 characters, so pattern .* is not tried$/);
  for (const [length, isTried] of [[32_768, true], [32_769, false]] as const) {
    const text = await refusalOf("a".repeat(length), { pattern: "a+" }, {});
    assert.equal(text === undefined, isTried);
  }
});

unix.test("checkLimits() holds the links in a directory, and in those above it, where it is told to", () =>
  withTree(async (base) => {
    const arg = { role: { kind: "cwd" } } as const;
    const held = (limits: Limits, value = "src") => {
      return refusalOf(value, limits, { arg, home: base, directory: join(base, value) });
    };
    assert.equal(await held({ within: "." }), undefined);
    assert.equal(
      await held({ within: ".", holdsLinks: true }),
      `'src' has a link 'out', which lies outside ${base}, the server's directory`,
    );
    await Deno.remove(join(base, "out"));
    assert.equal(await held({ within: ".", holdsLinks: true }), undefined);
    assert.equal(
      await held({ within: ".", never: [".git"], holdsLinks: true }),
      "'src' has a link 'link', which leads through '.git', which is never allowed",
    );
    await Deno.symlink("/etc/passwd", join(base, "src", "package.json"));
    assert.match(
      (await held({ within: ".", holdsLinks: true }))!,
      /^'src' has a link 'package\.json', which lies outside/,
    );
    assert.equal(await held({ within: ".", holdsLinks: true }, "."), undefined);
  }));

unix.test("checkLimits() refuses a directory with too many entries to look for links in", () =>
  withTree(async (base) => {
    const directory = join(base, "many");
    await Deno.mkdir(directory);
    for (let entry = 0; entry <= 10_000; entry++) {
      Deno.writeTextFileSync(join(directory, `${entry}`), "");
    }
    const limits = { within: ".", holdsLinks: true };
    const place = { arg: { role: { kind: "cwd" } }, home: base, directory } as const;
    assert.match((await refusalOf("many", limits, place))!, /has more than 10000 entries/);
    await Deno.remove(join(directory, "0"));
    await Deno.remove(join(base, "out"));
    assert.equal(await refusalOf("many", limits, place), undefined);
  }));

/** Parts of paths, and of what links lead to: 256 are looked up. */
const deep: readonly (readonly [what: string, paths: readonly string[], refusal?: RegExp])[] = [
  ["256 parts", [`${"a/".repeat(255)}b`]],
  ["257 parts", [`${"a/".repeat(256)}b`], /it has more than 256 parts$/],
  ["parts without a name", [`${"./".repeat(1000)}${"a//".repeat(20)}b`]],
  ["steps up", [`${"src/../".repeat(200)}b`], /it has more than 256 parts$/],
  ["a link with 300 parts", ["deep/x"], /it has more than 256 parts$/],
  ["many paths", Array<string>(1000).fill("a/b/c/d")],
  ["many deep paths", Array<string>(101).fill("a/".repeat(198) + "b"), /20000 parts together$/],
];

for (const [what, paths, refused] of deep) {
  unix.test(`checkLimits() ${refused ? "refuses" : "takes"} ${what}`, () =>
    withTree(async (base) => {
      await Deno.symlink("a/".repeat(300), join(base, "deep"));
      const args = [argOf("x", { limits: { within: "." } })];
      const [first] = await checkLimits(args, new Map([["x", paths]]), { directory: base });
      if (refused === undefined) assert.equal(first, undefined);
      else assert.match(first?.text ?? "", refused);
    }));
}

Deno.test("checkLimits() reads a name of any length in linear time", async () => {
  for (const [way, end] of [[".", "x"], [" ", "x"], [":", "\n"]] as const) {
    await assertLinear((size) => {
      const value = `x${way.repeat(size)}${end}`;
      return () => refusalOf(value, { within: ".", never: [".git"] }, { isElsewhere: true });
    }, { size: 5_000, what: JSON.stringify(way) });
  }
});
