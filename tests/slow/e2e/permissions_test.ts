/**
 * The flags that `climax run --permissions` prints are what serving takes, and each part of them is needed:
 * the real server is started under exactly these, and under these less one.
 */

import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { climaxProcess as climax, ends } from "../../cli/commands/_climax.ts";
import { loadConfigs } from "../../../src/sources/command/load.ts";
import { RawServer, startRawFrom } from "../../e2e/_raw.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climaxUnder, environment, givenBundle, root, sources } from "../../e2e/_server.ts";

// A binary has its permissions baked in; programs are faked with shell scripts
const ignore = Deno.build.os === "windows" || Deno.env.get("CLIMAX_UNDER_TEST") !== undefined;

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** True to start the program from its sources, whose own modules are many files. */
  readonly isClone?: boolean;
}

/** The folder of the activity log, and the code that is read later, in the sources alone. */
function ownFolders({ isClone = false }: Place): string[] {
  const state = join(environment({}).XDG_STATE_HOME!, "climax", ".climax-logins");
  const isSource = isClone || givenBundle() === undefined;
  return [state, ...isSource ? [join(root, "src"), join(root, "configs")] : []];
}

/** The flags for `words`, by kind. */
async function permissionsOf(
  words: readonly string[],
  place: Place,
): Promise<{ flags: string[]; run: string[] | "all"; read: string[]; env: string[] }> {
  const { stdout } = await ends(climax(["run", "--permissions", ...words, "--json"], place), {
    code: 0,
  });
  return JSON.parse(stdout);
}

/** `climax run` under `flags` and nothing else. */
function startUnder(flags: readonly string[], words: readonly string[], place: Place): RawServer {
  const clone = [
    Deno.execPath(),
    "run",
    "--no-prompt",
    "--unstable-lazy-dynamic-imports",
    ...flags,
    sources,
    "run",
    ...words,
  ] as const;
  return startRawFrom(place.isClone ? clone : climaxUnder(flags, "run", ...words), place);
}

/** Starts a server that must not start, and returns its end. */
async function failureUnder(flags: readonly string[], words: readonly string[], place: Place) {
  await using server = startUnder(flags, words, place);
  const ended = await server.ended();
  assert.deepEqual(server.lines, []);
  return ended;
}

async function write(path: string, text: string): Promise<string> {
  await Deno.writeTextFile(path, text);
  await Deno.chmod(path, 0o755);
  return path;
}

/** A folder outside of what is served: programs in there are not started. */
function outside(): string {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "climax-test-" }));
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  return folder;
}

/** A directory with a program for each of `names`, which says its name and the variables `shown`. */
async function fakePrograms(names: readonly string[], shown = "") {
  const programs = outside();
  for (const name of names) {
    await write(join(programs, name), `#!/bin/sh\necho "fake ${name}${shown}"\n`);
  }
  return { PATH: `${programs}${delimiter}${Deno.env.get("PATH")}` };
}

function flagsWithout(flags: readonly string[], value: string): string[] {
  return flags.flatMap((flag) => {
    const [kind, values = ""] = flag.split("=");
    const left = values.split(",").filter((each) => each !== value);
    return left.length === 0 ? [] : [`${kind}=${left.join(",")}`];
  });
}

// deno-lint-ignore no-explicit-any
function argumentsFor({ properties, required = [] }: any): Record<string, unknown> {
  const values: Record<string, unknown> = { string: "x", integer: 1, number: 1, boolean: true };
  return Object.fromEntries(required.map((name: string) => {
    const { type, enum: allowed, items } = properties[name];
    return [name, type === "array" ? [values[items.type]] : allowed?.[0] ?? values[type]];
  }));
}

/** Every tool that is listed, called; the texts by tool. */
async function callAll(server: RawServer): Promise<ReadonlyMap<string, string>> {
  const { result } = await server.request("tools/list");
  const texts = new Map<string, string>();
  for (const { name, inputSchema } of result.tools) {
    texts.set(name, (await server.call(name, argumentsFor(inputSchema))).text);
  }
  return texts;
}

for (const isClone of [false, true]) {
  const form = isClone ? " in a clone" : "";
  Deno.test(`git works under the printed flags${form}, and not without its programs`, {
    ignore,
  }, async () => {
    await using dir = await scratch();
    // A tool that asks needs the place where its calls wait too
    const open = ["git", "--policy", "open"];
    const { run } = await permissionsOf(open, { cwd: dir.path, env: {}, isClone });
    assert.notEqual(run, "all");
    const programs = (run as string[]).filter((name) => name !== "kill" && name !== "ps");
    assert.notEqual(programs.length, 0);
    const place = { cwd: dir.path, env: await fakePrograms(programs), isClone };
    const { flags, read } = await permissionsOf(open, place);
    const { tools } = await loadConfigs(["git"], () => undefined);
    const looks = tools.some(({ args }) => args.some(({ limits }) => limits?.within !== undefined));
    assert.deepEqual(read, [...looks ? [dir.path] : [], ...ownFolders(place)]);
    {
      await using server = startUnder(flags, [...open, "--classic"], place);
      await server.initialize();
      for (const [tool, text] of await callAll(server)) {
        assert.match(
          text,
          /^fake |does not match|is not allowed: expected|in a repository only$/,
          `${tool}: ${text}`,
        );
      }
    }
    {
      await using server = startUnder(flags, open, place);
      await server.initialize();
      const { result } = await server.request("tools/list");
      assert.equal(result.tools.length, 2);
      const summary = JSON.parse((await server.call("climax_search", {})).text).summary;
      assert.equal(summary.length, 1);
      const found = await server.call("climax_search", { cli: summary[0].name, limit: 1 });
      const [tool] = JSON.parse(found.text).results;
      const args = argumentsFor(tool.input_schema);
      const called = await server.call("climax_call", { tool_name: tool.tool_name, args });
      assert.match(
        called.text,
        /^fake |does not match|is not allowed: expected|in a repository only$/,
      );
    }
    // Without the whole flag, and without any one program, its calls say what is missing
    const rest = flags.filter((flag) => !flag.startsWith("--allow-run"));
    assert.equal(rest.length, flags.length - 1);
    const denied = (name: string) =>
      `Permission denied: this server may not run '${name}'\n` +
      `Start it with --allow-run=${name} to allow it`;
    const lacking = [["", rest], [programs[0]!, flagsWithout(flags, programs[0]!)]] as const;
    for (const [gone, less] of lacking) {
      await using server = startUnder(less, [...open, "--classic"], place);
      await server.initialize();
      const texts = [...(await callAll(server)).values()];
      const refused = texts.filter((text) => text.startsWith("Permission denied"));
      assert.notEqual(refused.length, 0);
      const names = gone === "" ? programs : [gone];
      for (const text of refused) assert.equal(names.map(denied).includes(text), true, text);
      for (const text of texts) {
        assert.match(
          text,
          /^(?:fake |Permission denied: )|does not match|is not allowed: expected|in a repository only$/,
        );
      }
      const held = texts.filter((text) =>
        /does not match|is not allowed: expected|in a repository only$/.test(text)
      );
      if (gone === "") assert.equal(refused.length + held.length, texts.length);
    }
  });
}

const heldTools = `name: held
command: $HELD_PROGRAM
tools:
  - name: show
    args: [{ name: path, positional: true }, { name: dir, cwd: true }]
`;

Deno.test("a config, a policy and its directories are read, each of them needed", {
  ignore,
}, async () => {
  await using dir = await scratch();
  await Deno.mkdir(join(dir.path, "real"));
  await Deno.mkdir(join(dir.path, "cwd"));
  await Deno.symlink(join(dir.path, "real"), join(dir.path, "link"));
  await Deno.writeTextFile(join(dir.path, "real", "file"), "");
  await Deno.writeTextFile(join(dir.path, "held.yaml"), heldTools);
  const policy = "tools: { show: { args: { path: { within: $HELD_PLACE/link } } } }";
  await Deno.writeTextFile(join(dir.path, "policy.yaml"), policy);
  const env = {
    ...await fakePrograms(["held"]),
    HELD_PROGRAM: "held",
    HELD_PLACE: dir.path,
  };
  const place = { cwd: join(dir.path, "cwd"), env };
  const words = ["../held.yaml", "--policy", "../policy.yaml"];
  const { flags, read, env: names } = await permissionsOf(words, place);
  assert.deepEqual(read, [
    "../held.yaml",
    "../policy.yaml",
    join(dir.path, "link"),
    join(dir.path, "real"),
    place.cwd,
    ...ownFolders(place),
  ]);
  const call = async (less: readonly string[], args: object) => {
    await using server = startUnder(less, [...words, "--classic"], place);
    await server.initialize();
    return (await server.call("show", args)).text;
  };
  const inside = { path: join(dir.path, "real", "file") };
  assert.equal(await call(flags, inside), "fake held");
  assert.equal(await call(flags, { path: "file", dir: join(dir.path, "real") }), "fake held");
  assert.match(await call(flags, { path: "/etc/passwd" }), /^Policy validation failed:/);
  assert.match(await call(flags, { path: "file" }), /lies outside|cannot be resolved/);
  for (const path of ["../held.yaml", "../policy.yaml", join(dir.path, "link")]) {
    const { code, stderr } = await failureUnder(flagsWithout(flags, path), words, place);
    assert.equal(code, 3, `${path}: ${stderr}`);
    assert.match(stderr, /may not read|cannot be read: Requires read/, path);
  }
  for (const name of ["HELD_PROGRAM", "HELD_PLACE"]) {
    assert.equal(names.includes(name), true);
    const { code, stderr } = await failureUnder(flagsWithout(flags, name), words, place);
    assert.equal(code, 3);
    assert.match(stderr, new RegExp(`may not read the environment variable '${name}'`));
  }
  // Without the directory itself nothing in it can be told from what is not
  const less = flagsWithout(flags, join(dir.path, "real"));
  assert.match(await call(less, inside), /cannot be resolved|lies outside|Requires read/);
  assert.match(
    await call(flagsWithout(flags, place.cwd), { path: "../cwd/../real/file" }),
    /cannot be resolved|lies outside/,
  );
});

Deno.test("the flags are one line for a shell, and JSON for a script", { ignore }, async () => {
  await using dir = await scratch();
  const place = { cwd: dir.path, env: {} };
  const config = "name: t\ncommand: echo\ntools: [{ name: t }]\n";
  await Deno.writeTextFile(join(dir.path, "it's a config.yaml"), config);
  await Deno.writeTextFile(join(dir.path, "a,b.yaml"), config);
  const { stdout } = await climax(["run", "--permissions", "it's a config.yaml"], place);
  assert.equal(stdout.split("\n").length, 2);
  const script = `for word in ${stdout.trim()}; do echo "<$word>"; done`;
  const shell = await new Deno.Command("sh", { args: ["-c", script] }).output();
  const words = new TextDecoder().decode(shell.stdout).trimEnd().split("\n");
  const { flags } = await permissionsOf(["it's a config.yaml"], place);
  assert.deepEqual(words, flags.map((flag) => `<${flag}>`));
  const reads = `--allow-read=${["it's a config.yaml", ...ownFolders(place)].join(",")}`;
  assert.equal(flags.includes(reads), true, flags.join(" "));
  await using server = startUnder(flags, ["it's a config.yaml", "--classic"], place);
  await server.initialize();
  const comma = await climax(["run", "--permissions", "a,b.yaml"], place);
  assert.equal(comma.code, 3);
  assert.match(comma.stderr, /^error: 'a,b\.yaml' has a comma in it/m);
});
