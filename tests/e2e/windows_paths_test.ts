/** On Windows, a policy's `within` and a config's `never` hold for every name of a path. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { needs } from "../_requirements.ts";
import { type RawServer, startReady } from "./_raw.ts";
import { scratch } from "./_scratch.ts";

const isWindows = Deno.build.os === "windows";

/** Calls `use` with a server whose tool `show` prints a file of `project`, and the folder that has `project`. */
async function withProject(use: (server: RawServer, folder: string) => Promise<void>) {
  await using dir = await scratch({ "project/file.txt": "inside\r\n" });
  const project = join(dir.path, "project");
  await Deno.mkdir(join(project, "sub"), { recursive: true });
  await Deno.mkdir(join(project, ".git"));
  for (const name of [".env", join(".git", "config"), join("..", "secret.txt")]) {
    await Deno.writeTextFile(join(project, name), "secret\r\n");
  }
  await Deno.writeTextFile(
    join(dir.path, "type.yaml"),
    [
      "name: type",
      "description: Print files",
      "command: cmd /d /c type",
      "tools:",
      "  - name: show",
      "    description: Print a file",
      "    args:",
      "      - name: path",
      "        description: The file",
      "        type: string",
      "        positional: true",
      "        within: .",
      `        never: [.git, .env, '${join(project, "sub", "Deep")}']`,
    ].join("\n"),
  );
  const policy = `tools:\n  show:\n    args:\n      path:\n        within: '${project}'\n`;
  await Deno.writeTextFile(join(dir.path, "policy.yaml"), policy);
  const args = [join(dir.path, "type.yaml"), "--policy", join(dir.path, "policy.yaml")];
  await using server = await startReady(args, { cwd: project });
  await use(server, dir.path);
}

function show(server: RawServer, path: string) {
  return server.call("climax_call", { tool_name: "show", args: { path } });
}

async function refuses(server: RawServer, path: string, reason: RegExp): Promise<void> {
  const { text, isError } = await show(server, path);
  assert.equal(isError, true, path);
  assert.match(text, reason, path);
}

/** Paths that lead out of a folder, or to something else than their name says. */
const outside = [
  ..."..\\secret.txt ../secret.txt sub\\..\\..\\secret.txt C:\\windows\\win.ini c:..\\x c:file.txt"
    .split(" "),
  ..."\\windows\\win.ini /windows/win.ini GIT~1\\config sub::$INDEX_ALLOCATION\\x a:stream".split(
    " ",
  ),
  ..."CON NUL nul.txt COM1 com9.txt LPT1 aux.c PRN COM¹ CONIN$ conout$ sub\\NUL".split(" "),
  ..."file.txt::$DATA sub.\\x file.txt. a<b a?b".split(" "),
  "sub \\x",
  "file.txt ",
];

/** Windows would log in to the server of a share. */
const shares =
  "\\\\?\\C:\\windows \\\\.\\NUL \\\\.\\pipe\\x \\\\localhost\\c$\\x //localhost/c$/x \\\\?\\UNC\\localhost\\c$"
    .split(" ");

Deno.test(
  "paths that lead elsewhere are outside of the folder of a policy",
  { ignore: !isWindows },
  async () => {
    await withProject(async (server) => {
      assert.match((await show(server, "file.txt")).text, /^inside/);
      assert.match((await show(server, "sub\\..\\FILE.TXT")).text, /^inside/);
      for (const path of outside) await refuses(server, path, /lies outside|cannot be/);
      for (const path of shares) await refuses(server, path, /leads to a share or a device/);
    });
  },
);

Deno.test("what is never allowed has no other name", { ignore: !isWindows }, async () => {
  await withProject(async (server) => {
    const names = ".git\\config .GIT/config .git.\\config GIT~1\\config .ENV .env. .env::$DATA";
    for (const path of [...names.split(" "), ".git \\config", "SUB\\deep\\x", "sub/DEEP"]) {
      await refuses(server, path, /never allowed|lies outside|cannot be/);
    }
  });
});

Deno.test(
  "paths of more than 260 characters are decided on as others",
  { ignore: !isWindows },
  async () => {
    await withProject(async (server, folder) => {
      const deep = Array(30).fill("a123456789").join("\\");
      await Deno.mkdir(join(folder, "project", deep), { recursive: true });
      // Programs that take no such path say so themselves
      assert.doesNotMatch((await show(server, `${deep}\\x`)).text, /outside|resolved/);
      const up = Array(31).fill("..").join("\\");
      await refuses(server, `${deep}\\${up}\\secret.txt`, /lies outside/);
      await refuses(server, `a\\${"b".repeat(33_000)}`, /no path may be that long/);
    });
  },
);

/** True if this system makes junctions; Wine does not. */
async function hasJunctions(): Promise<boolean> {
  await using dir = await scratch();
  try {
    await Deno.symlink(dir.path, join(dir.path, "x"), { type: "junction" });
    return true;
  } catch {
    return false;
  }
}

Deno.test("junctions and links lead where they lead", {
  ...isWindows ? needs("junctions", await hasJunctions()) : { ignore: true },
}, async () => {
  await withProject(async (server, folder) => {
    const project = join(folder, "project");
    await Deno.symlink(folder, join(project, "out"), { type: "junction" });
    await Deno.symlink(join(project, "sub"), join(project, "in"), { type: "junction" });
    await Deno.writeTextFile(join(project, "sub", "file.txt"), "below\r\n");
    await refuses(server, "out\\secret.txt", /lies outside/);
    await refuses(server, "in\\..\\out\\secret.txt", /lies outside/);
    await refuses(server, "out\\project\\.git\\config", /lies outside|never allowed/);
    assert.match((await show(server, "in\\file.txt")).text, /^below/);
  });
});
