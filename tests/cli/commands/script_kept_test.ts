/** Kept scripts of a project: only what the person has accepted is a tool, and only as it was accepted. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { unix } from "../../_requirements.ts";
import { climax, climaxOnTerminal, ends } from "./_climax.ts";
import { config } from "./_script_config.ts";

/** A kept script over these lines. */
function script(body: string, header = "effect: read\n"): string {
  return `/* climax script\ndescription: Repeats a word\n${header}*/\n${body}`;
}

const args = "effect: read\nargs: [{ name: word, required: true }]\n";
const says = script('return (await call("say", { word: input.word })).text.trim()', args);

/** A folder with a config, where scripts are in `.climax/scripts`. */
async function project() {
  const dir = await scratch();
  const cwd = join(dir.path, "project");
  const scripts = join(cwd, ".climax", "scripts");
  await Deno.mkdir(scripts, { recursive: true });
  await Deno.writeTextFile(join(cwd, "own.yaml"), JSON.stringify(config));
  const env = {
    XDG_CONFIG_HOME: join(dir.path, "settings"),
    CLIMAX_STATE_DIR: join(dir.path, "state"),
  };
  const run = (...words: string[]) => climax(words, { cwd, env });
  return {
    dir: dir.path,
    cwd,
    env,
    scripts,
    run,
    call: (...words: string[]) => run("call", "./own.yaml", "--", ...words),
    write: (name: string, text: string, folder = scripts) => {
      return Deno.writeTextFile(join(folder, name), text);
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

unix.test("a script of a project is a tool once it is accepted, until it changes", async () => {
  await using place = await project();
  const { run, call, write } = place;
  await write("repeat.js", says);
  const before = await ends(call("repeat", "word=a"), { code: 1 });
  const withheld =
    /^Tool 'repeat' is withheld: its text is new or has changed since it was accepted/;
  assert.match(before.stdout, withheld);
  assert.match(before.stderr, /The script 'repeat' is not served: it is new or has changed/);
  const asked = await run("trust", "repeat.js");
  assert.equal(asked.code, 1);
  assert.match(asked.stdout, /^ {2}\| description: Repeats a word$/m);
  assert.match(asked.stdout, /calls +say \(not served\)|calls +say/);
  assert.match(asked.stdout, /not accepted: not a terminal to ask at; --yes accepts/);
  assert.match((await call("repeat", "word=a")).stdout, withheld);
  assert.equal((await run("trust", "repeat.js", "--yes")).code, 0);
  await ends(call("repeat", "word=a"), { code: 0, stdout: "a\n", stderr: "" });
  assert.match((await call("repeat")).stdout, /Missing required argument 'word'/);
  assert.match((await run("list", "./own.yaml")).stdout, /^repeat +scripts +read +Repeats a word/m);
  assert.match((await run("search", "./own.yaml", "--", "repeats")).stdout, /^repeat/m);
  // One character, by whoever
  await write("repeat.js", says.replace("input.word", 'input.word + "!"'));
  const { stdout } = await call("repeat", "word=a");
  assert.match(stdout, withheld);
  assert.match(stdout, /this accepts it: climax trust \/.*scripts\/repeat\.js$/m);
  await write("denies.yaml", "{ default: enabled, deny: [repeat] }");
  const policy = ["--policy", join(place.scripts, "denies.yaml")];
  const denied = await run("call", "./own.yaml", ...policy, "--", "repeat", "word=a");
  assert.match(denied.stdout, /^Unknown tool: repeat/, denied.stderr);
  await write("repeat.js", says);
  assert.equal((await call("repeat", "word=a")).stdout, "a\n");
  // The same text in another place is another script
  await Deno.rename(join(place.scripts, "repeat.js"), join(place.scripts, "other.js"));
  assert.match((await call("other", "word=a")).stdout, /^Tool 'other' is withheld/);
});

unix.test("climax trust asks about a script at a terminal, and with --all about all that wait", async () => {
  await using place = await project();
  const { cwd, env, run, write } = place;
  await write("repeat.js", says);
  for (const [answer, says] of [["n", /^Unknown|withheld/], ["y", /^a\n$/]] as const) {
    const words = ["trust", ...answer === "n" ? ["repeat.js"] : ["--all"]];
    const shown = await climaxOnTerminal(words, { cwd, env, stdin: `${answer}\n`, columns: 0 });
    assert.match(shown, /Make a tool 'repeat' of this script\?/);
    assert.match((await place.call("repeat", "word=a")).stdout, says);
  }
  await ends(run("trust", "repeat.js"), { stdout: /accepted already, as it is/ });
  await ends(run("trust", "--all"), { code: 3, stderr: /None of these files is in the current/ });
});

unix.test("a script beside a config has to be accepted too, and the first of a name is used", async () => {
  await using place = await project();
  const { run, call, write, cwd } = place;
  const beside = join(cwd, "scripts");
  await Deno.mkdir(beside);
  await write("where.js", script('return "config"'), beside);
  await write("where.js", script('return "project"'));
  await write("build.js", "console.log('a script of Node.js')", beside);
  const files = ["scripts/where.js", ".climax/scripts/where.js"];
  await ends(run("trust", "--yes", ...files), { code: 0 });
  const { stderr } = await ends(call("where"), {
    stdout: "config\n",
    stderr: /project.\.climax.*The script 'where' is not served: .*scripts.where\.js has its name/,
  });
  assert.doesNotMatch(stderr, /build/);
});

unix.test("personal scripts, beside personal configs, need no acceptance", async () => {
  await using place = await project();
  const folder = join(place.env.XDG_CONFIG_HOME, "climax", "configs");
  await Deno.mkdir(join(folder, "scripts"), { recursive: true });
  await Deno.writeTextFile(join(folder, "mine.yaml"), JSON.stringify(config));
  await place.write("repeat.js", says, join(folder, "scripts"));
  await ends(place.run("call", "mine", "--", "repeat", "word=a"), { stdout: "a\n" });
});

const wrong = [
  ["broken.js", "/* climax script\ndescription: [\n*/", /broken\.js:\d+:\d+: /],
  [
    "bare.js",
    script("return 1").replace(/description.*\n/, ""),
    /bare\.js:2:1: Missing required key 'description'/,
  ],
  ["weak.js", script("return 1", ""), /weak\.js:2:1: Missing required key 'effect'/],
  [
    "odd.js",
    script("return 1", "effect: reads\n"),
    /odd\.js:3:1: 'effect': string 'reads' is not one of/,
  ],
  ["extra.js", script("return 1", "effect: read\nflag: x\n"), /extra\.js:4:1: Unknown key 'flag'/],
  [
    "tests.js",
    script("return 1", "effect: read\ntests: []\n"),
    /tests\.js:4:1: Unknown key 'tests'/,
  ],
  [
    "flags.js",
    script("return 1", "effect: read\nargs: [{name: a, flag: -x}]\n"),
    /flags\.js:4:18: Unknown key 'flag'/,
  ],
  [
    "typed.js",
    script("return 1", "effect: read\nargs: [{name: a, type: integer, default: x}]\n"),
    /typed\.js:4:\d+: 'x' does not fit 'type: integer'|typed\.js.*does not fit/,
  ],
  [
    "twice.js",
    script("return 1", "effect: read\nargs: [{name: a}, {name: a}]\n"),
    /twice\.js:4:\d+: Duplicate argument name 'a'/,
  ],
  [
    "regex.js",
    script("return 1", "effect: read\nargs: [{name: a, pattern: '('}]\n"),
    /regex\.js:4:\d+: /,
  ],
  [
    "open.js",
    "/* climax script\ndescription: x\neffect: read\nreturn 1",
    /open\.js:1:1: The comment of its header has no end/,
  ],
  ["plain.js", "return 1", /plain\.js: The file does not begin with a header/],
] as const;

unix.test("a script that is wrong is not accepted, and says where", async () => {
  await using place = await project();
  for (const [name, text, message] of wrong) {
    const path = join(place.scripts, name);
    await Deno.writeTextFile(path, text);
    const words = ["trust", "--yes", `.climax/scripts/${name}`];
    const { code, stdout, stderr } = await place.run(...words);
    assert.equal(code, 3, name);
    assert.match(stdout + stderr, message, name);
  }
  await assert.rejects(
    Deno.stat(join(place.env.XDG_CONFIG_HOME, "climax", "accepted.json")),
  );
  await ends(place.call("say", "word=x"), { stdout: "x\n" });
});

unix.test("names with slashes, dots and links are no scripts", async () => {
  await using place = await project();
  const { run, write, scripts, dir } = place;
  for (const name of ["../x", "a.b", "1a", "a-b", "", "__proto__.js/../x"]) {
    assert.notEqual((await run("new", `${name}.js`)).code, 0, name);
  }
  await Deno.writeTextFile(join(dir, "secret.js"), says);
  await Deno.symlink(join(dir, "secret.js"), join(scripts, "linked.js"));
  const { code, stderr } = await run("trust", "--yes", "linked.js");
  assert.equal(code, 3);
  assert.match(stderr, /linked\.js: A script that is a link is not followed/);
  // Nor where a link takes the place of a file that was accepted
  await write("repeat.js", says);
  await run("trust", "--yes", "repeat.js");
  await Deno.remove(join(scripts, "repeat.js"));
  await Deno.symlink(join(dir, "secret.js"), join(scripts, "repeat.js"));
  assert.match((await place.call("repeat", "word=a")).stdout, /^Unknown tool/);
  // Nor is anything written through one
  await Deno.remove(scripts, { recursive: true });
  await Deno.mkdir(join(dir, "elsewhere"));
  await Deno.symlink(join(dir, "elsewhere"), scripts);
  assert.equal((await run("new", "fresh.js")).code, 3);
  assert.deepEqual([...Deno.readDirSync(join(dir, "elsewhere"))], []);
});

unix.test("climax validate says what may be called, and what is wrong with it", async () => {
  await using place = await project();
  const { run, write } = place;
  const check = (...words: string[]) => run("validate", "./own.yaml", ...words);
  await write("repeat.js", says);
  const good = await check("repeat.js");
  assert.equal(good.code, 0, good.stdout);
  assert.match(good.stdout, /effect +read: a call with a worse one is refused/);
  assert.match(good.stdout, /calls +say \(read\)$/m);
  await write(
    "sneaky.js",
    script(
      'const name = "sa" + "ve"; await call(name, {}); await call("none"); await call("save", {})',
    ),
  );
  const bad = await check("sneaky.js");
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /calls +save \(write\), none \(not served\), names that it computes$/m);
  assert.match(bad.stdout, /'save' is write, and the header says 'effect: read'/);
  assert.match(bad.stdout, /No tool 'none' is served by these configs/);
  await Deno.writeTextFile(join(place.cwd, "p.yaml"), "default: enabled\ndeny: [say]\n");
  const denied = await check("--policy", "p.yaml", "repeat.js");
  assert.match(denied.stdout, /calls +say \(not served\)$/m);
  assert.equal(denied.code, 1);
  await write("say.js", says);
  assert.match((await check("say.js")).stdout, /A tool has the name 'say' already/);
  await run("trust", "--yes", "say.js");
  const { stderr } = await place.call("say", "word=x");
  assert.match(stderr, /The script 'say' is not served: a tool of 'own' has its name/);
});

unix.test("climax new writes a script that works, once", async () => {
  await using place = await project();
  const { run } = place;
  await ends(run("new", "authors.js"), { code: 0 });
  assert.equal((await run("validate", "git", "authors.js")).code, 0);
  assert.match((await run("list", "git")).stdout, /^authors +scripts/m);
  assert.match((await run("new", "authors.js")).stderr, /The file already exists/);
});
