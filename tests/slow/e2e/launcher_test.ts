/** The launcher of a clone, `./climax`: it starts the sources as they would be started by hand. */

import assert from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import { isFleeting } from "../../../src/process/own_command.ts";
import { shellWord } from "../../../src/text/shell_word.ts";
import { programs, unix } from "../../_requirements.ts";
import { RawServer } from "../../e2e/_raw.ts";
import { type Place, type Ran, runToEnd, spawn } from "../../_run.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { environment, fixture, root } from "../../e2e/_server.ts";
import { ends } from "../../cli/commands/_climax.ts";

const launcher = join(root, "climax");

/** Settings of a launcher's start. */
interface Start {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly path?: string;
  /** The folder for caches. */
  readonly cache?: string;
}

function placeOf({ cwd = root, path, cache }: Start): Place {
  const env = environment({
    ...(path === undefined ? {} : { PATH: path }),
    ...(cache === undefined ? {} : { XDG_CACHE_HOME: cache }),
  });
  return { cwd, env };
}

/** Runs a launcher to its end. */
async function run(program: string, args: readonly string[], start: Start = {}): Promise<Ran> {
  return await runToEnd([program, ...args], { ...placeOf(start), stdin: start.stdin });
}

/** A folder for PATH with these programs of this machine and no other. */
async function folderOf(names: readonly string[], folder: string): Promise<string> {
  await Deno.mkdir(folder);
  const places = Deno.env.get("PATH")!.split(delimiter);
  for (const name of names) {
    const found = places.map((place) => join(place, name)).find(isFile);
    if (found !== undefined) await Deno.symlink(await Deno.realPath(found), join(folder, name));
  }
  return folder;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

const probe = ["--config", fixture("probe.yaml")];

unix.test("./climax keeps words, input and exit code, from any folder", async () => {
  await using dir = await scratch();
  const text = `a b * $HOME "'\\`;
  const called = await run(launcher, ["call", "probe_args", `text=${text}`, ...probe], {
    cwd: dir.path,
  });
  assert.equal(called.code, 0, called.stderr);
  assert.ok(JSON.parse(called.stdout).includes(text), called.stdout);

  const requests = `{"jsonrpc":"2.0","id":1,"method":"ping"}\n`;
  const served = await run(launcher, [fixture("probe.yaml")], { cwd: dir.path, stdin: requests });
  assert.deepEqual([served.code, JSON.parse(served.stdout).id], [0, 1]);

  assert.equal((await run(launcher, ["call", "none", ...probe])).code, 1);
  assert.equal((await run(launcher, ["call"])).code, 2);
});

unix.test("./climax is the process that a client ends", async () => {
  const child = spawn([launcher, fixture("probe.yaml")], placeOf({}));
  await using server = new RawServer(child);
  await server.initialize();
  child.kill("SIGTERM");
  // A shell in between would end by the signal, and leave the server behind
  assert.equal((await server.ended()).code, 0);
});

unix.test("a link to the launcher starts its clone, and hints have the word that was typed", async () => {
  await using dir = await scratch();
  await Deno.mkdir(join(dir.path, "links"));
  await Deno.symlink(launcher, join(dir.path, "links", "first"));
  await Deno.symlink("links/first", join(dir.path, "climax"));
  // Deno itself would start `./climax` by its whole path
  const typed = (line: string, start: Start = {}) => run("sh", ["-c", line], start);
  const linked = await typed("./climax call none x", { cwd: dir.path });
  assert.match(linked.stderr, /^ {2}hint: .*: \.\/climax call CONFIG -- TOOL/m);
  const path = [dir.path, Deno.env.get("PATH")].join(delimiter);
  await ends(typed("climax call none x", { path }), { stderr: /: climax call CONFIG -- TOOL/ });
  const whole = await run(launcher, ["call", "none", "x"]);
  assert.ok(whole.stderr.includes(`: ${shellWord(launcher)} call CONFIG -- TOOL`), whole.stderr);
  assert.match((await typed("./climax help call")).stdout, /^Usage: \.\/climax call /);
});

/** Programs that are on the PATH of everybody who has Node.js. */
const withNode = ["node", "npx", "npm", "sh", "env", "readlink", "mkdir", "rm"];
const npx = unix.ignore ? unix : await programs({
  npx: ["-y", "--fetch-retries=0", "--fetch-timeout=10000", "deno@2.9.6", "--version"],
});

npx.test("./climax needs nothing but Node.js, also beside an old Deno", async () => {
  await using dir = await scratch();
  const cache = join(dir.path, "cache");
  const path = await folderOf(withNode, join(dir.path, "bin"));
  const old = `#!/bin/sh\necho "deno 1.46.3 (release)"\n`;
  await Deno.writeTextFile(join(path, "deno"), old, { mode: 0o755 });
  const start = { cwd: root, path, cache };
  const { stdout, stderr } = await run(launcher, ["version"], start);
  assert.match(stdout, /^climax \S+\ndeno 2\.9\.6,/, stderr);
  // A later start takes the Deno that npx has downloaded
  const shell = await folderOf(["sh"], join(dir.path, "shell"));
  const input = `{"jsonrpc":"2.0","id":1,"method":"ping"}\n`;
  const later = await run(launcher, [fixture("probe.yaml")], {
    ...start,
    path: shell,
    stdin: input,
  });
  assert.equal(later.code, 0, later.stderr);
  assert.equal(JSON.parse(later.stdout).id, 1);
  // A client starts the launcher where Deno is in a folder of npx, which may go
  const known = join(cache, "climax", "deno-2.9.6");
  const deno = (await Deno.readTextFile(known)).trim();
  const { stdout: entry } = await run(launcher, ["connect", "cursor", "git", "--print"], start);
  const server = JSON.parse(entry).mcpServers.climax;
  assert.equal(server.command, isFleeting(deno) ? launcher : deno);
  // Unless it is gone
  await Deno.writeTextFile(known, "/none/deno\n");
  assert.match((await run(launcher, ["version"], start)).stdout, /^climax /);
  assert.notEqual(await Deno.readTextFile(known), "/none/deno\n");
});

unix.test("./climax says what it needs where there is neither Deno nor Node.js", async () => {
  await using dir = await scratch();
  const path = await folderOf(["sh"], join(dir.path, "bin"));
  await ends(run(launcher, ["version"], { path, cache: dir.path }), {
    code: 4,
    stderr: "error: climax needs Deno 2.9 or newer, or Node.js with npx: neither is on PATH\n",
  });
});

Deno.test("climax.cmd keeps words and the exit code", { ignore: !unix.ignore }, async () => {
  const path = `${dirname(Deno.execPath())}${delimiter}${Deno.env.get("PATH")}`;
  const start = { path, cwd: dirname(root) };
  assert.match((await run(`${launcher}.cmd`, ["version"], start)).stdout, /^built as source\r?$/m);
  const { code, stdout } = await run(`${launcher}.cmd`, ["validate", "no such & echo.yaml"], start);
  assert.equal(code, 3, stdout);
  assert.match(stdout, /no such & echo\.yaml: File not found/);
});

/** A folder of a project, how it stands in PATH, the folder that climax starts in, and whether its Deno is taken. */
const planted: readonly (readonly [folder: string, inPath: string, cwd: string, used: boolean])[] =
  [
    ["p/node_modules/.bin", "@/p/node_modules/.bin", "p", false],
    ["p/node_modules/.bin", "@/p/node_modules/.bin", "p/below", false],
    ["p/node_modules/.bin", "@/p/./node_modules//.bin/", "p/below", false],
    ["p/.venv/bin", "@/p/.venv/bin", "p/below", false],
    ["p/venv/bin", "@/p/venv/bin", "p", false],
    ["p/tools", "@/p/tools", "p", false],
    ["p/tools", "tools", "p", false],
    ["p/tools", "./tools", "p", false],
    ["p", ".", "p", false],
    ["p", "", "p", false],
    ["p/tools", "@/link", "p", false],
    ["home/.venv/bin", "@/home/.venv/bin", "home", false],
    ["home/.deno/bin", "@/home/.deno/bin", "home", true],
    ["home/.deno/bin", "@/home/.deno/bin", "p", true],
    ["tools", "@/tools", "p", true],
  ];

unix.test("./climax runs no deno, npx or readlink of a project, and the person's own", async (context) => {
  for (const [folder, inPath, cwd, used] of planted) {
    await context.step(`PATH=${inPath} in ${cwd}/`, async () => {
      await using dir = await scratch();
      const at = (path: string) => join(dir.path, path);
      const real = await folderOf(["sh", "ls", "readlink", "mkdir", "rm"], at("real"));
      for (const name of ["p/below", "home", folder]) {
        await Deno.mkdir(at(name), { recursive: true });
      }
      await Deno.symlink(at(folder), at("link"));
      await Deno.symlink(launcher, at("climax"));
      const note = `#!/bin/sh\necho "\${0##*/} $1" >>${at("ran")}\n`;
      const own =
        `${note}[ "$1" = --version ] && echo deno 2.9.6 || exec ${Deno.execPath()} "$@"\n`;
      await Deno.writeTextFile(at(`${folder}/deno`), own, { mode: 0o755 });
      for (const name of used ? [] : ["npx", "readlink", "node"]) {
        await Deno.writeTextFile(at(`${folder}/${name}`), note, { mode: 0o755 });
      }
      const path = [inPath.replace("@", dir.path), real].join(delimiter);
      const env = { ...environment({ PATH: path, HOME: at("home") }), XDG_CACHE_HOME: at("cache") };
      const { code, stderr } = await runToEnd([at("climax"), "version"], { cwd: at(cwd), env });
      const ran = await Deno.readTextFile(at("ran")).catch(() => "");
      assert.deepEqual([code, ran], used ? [0, "deno --version\ndeno run\n"] : [4, ""], stderr);
    });
  }
});

unix.test("./climax takes the Deno that was kept only from a file that its user alone can write", async () => {
  await using dir = await scratch();
  const [cache, folder, path] = [dir.path, join(dir.path, "climax"), join(dir.path, "bin")];
  await folderOf(["sh", "ls"], path);
  await Deno.mkdir(folder);
  const kept = join(folder, "deno-2.9.6");
  await Deno.writeTextFile(kept, `${Deno.execPath()}\n`);
  const version = () => run(launcher, ["version"], { path, cache });
  for (
    const [file, mode, code] of [[kept, 0o666, 4], [kept, 0o644, 0], [folder, 0o777, 4]] as const
  ) {
    await Deno.chmod(file, mode);
    await ends(version(), { code });
  }
  await Deno.chmod(folder, 0o700);
  await Deno.rename(kept, `${kept}.other`);
  await Deno.symlink(`${kept}.other`, kept);
  await ends(version(), { code: 4 });
});
