/** Where paths lead: by hand for each case, and by property against what the system itself opens. */

import assert from "node:assert/strict";
import { join, normalize } from "node:path";
import fc from "../_properties.ts";
import { isWithin } from "../../src/policy/paths.ts";
import { resolvePath } from "../../src/policy/real_path.ts";
import { scratch } from "../e2e/_scratch.ts";
import { linux, unix } from "../_requirements.ts";

/** `project` and `outside` side by side, with links of every kind in `project`. */
async function withTree(use: (dir: string) => Promise<void>): Promise<void> {
  await using dir = await scratch();
  for (const folder of ["project/src/deep", "outside/secrets", "projects"]) {
    await Deno.mkdir(join(dir.path, folder), { recursive: true });
  }
  for (const file of ["project/file", "project/src/file", "outside/file", "projects/file"]) {
    await Deno.writeTextFile(join(dir.path, file), file);
  }
  const links: readonly [name: string, target: string][] = [
    ["project/out", "../outside"],
    ["project/out_file", "../outside/file"],
    ["project/out_absolute", join(dir.path, "outside")],
    ["project/out_secrets", "../outside/secrets"],
    ["project/in", "src"],
    ["project/in_absolute", join(dir.path, "project", "src")],
    ["project/in_deep", "src/deep"],
    ["project/dangling_in", "none"],
    ["project/dangling_out", "../outside/none"],
    ["project/chain", "chain_2"],
    ["project/chain_2", "out"],
    ["project/loop", "loop_2"],
    ["project/loop_2", "loop"],
    ["project/self", "self"],
    ["project/here", "."],
    ["project/up", ".."],
    ["project/root", "/"],
    ["project/proc_cwd", "/proc/self/cwd"],
    ["outside/back", "../project"],
  ];
  for (const [name, target] of links) await Deno.symlink(target, join(dir.path, name));
  await use(dir.path);
}

const inside = "inside";
const outside = "outside";
const long = "n".repeat(300);

/** Seen from `project`, held by `project`; a pattern is the reason that it cannot be resolved. */
const rows: readonly [path: string, answer: typeof inside | typeof outside | RegExp][] = [
  ["file", inside],
  ["./file", inside],
  [".", inside],
  ["src//deep/", inside],
  ["src/../file", inside],
  ["src/deep/../../file", inside],
  ["new/in/new", inside],
  ["src/new/", inside],
  ["~", inside],
  ["a\nb", inside],
  ["file with spaces ", inside],
  ["..\\file", inside],
  ["..", outside],
  ["../outside/file", outside],
  ["../projects/file", outside],
  ["src/../../outside/file", outside],
  ["/", outside],
  ["//etc/passwd", outside],
  ["../project/file", inside],
  ["../project/../outside", outside],
  ["../../../../../../../../../../etc/passwd", outside],
  // Links
  ["out", outside],
  ["out/file", outside],
  ["out/new", outside],
  ["out_file", outside],
  ["out_absolute/file", outside],
  ["in/file", inside],
  ["in_absolute/file", inside],
  ["in/new", inside],
  ["chain/file", outside],
  ["here/here/here/file", inside],
  ["here/out", outside],
  ["up", outside],
  ["up/project/file", inside],
  ["up/outside", outside],
  ["root/etc/passwd", outside],
  ["out/back/file", inside],
  ["dangling_in", inside],
  ["dangling_out", outside],
  ["dangling_out/x", outside],
  // What the system reads after the link, and programs that shorten paths do not: both count
  ["out/../file", outside],
  ["out_secrets/../file", outside],
  ["in_deep/../file", inside],
  ["in_deep/../../file", outside],
  ["in_deep/../../project/file", inside],
  ["out/../outside/file", outside],
  ["out/../project/file", inside],
  // What nobody can tell
  ["", /^the path is empty$/],
  ["new/../file", /^it goes up from what does not exist$/],
  ["new/../../outside/file", /^it goes up from what does not exist$/],
  ["dangling_in/../file", /^it goes up from what does not exist$/],
  ["loop", /^too many symbolic links$/],
  ["self", /^too many symbolic links$/],
  ["file/x", /Not a directory/],
  [long, /name too long/],
  ["x/".repeat(3000), /^no path may be that long$/],
  [".".repeat(5_000_000), /^no path may be that long$/],
];

for (const [path, answer] of rows) {
  const shown = JSON.stringify(path.length > 50 ? `${path.slice(0, 20)}…` : path);
  const verb = answer instanceof RegExp ? `cannot tell of` : `finds ${answer}`;
  unix.test(`isWithin() ${verb} ${shown}`, async () => {
    await withTree(async (dir) => {
      const project = join(dir, "project");
      const found = await isWithin(path, project, project);
      if ("reason" in found) assert.match(found.reason, answer as RegExp);
      else assert.deepEqual(found, { within: answer === inside });
    });
  });
}

unix.test("isWithin() takes absolute paths, and the same names beside the directory", async () => {
  await withTree(async (dir) => {
    const project = join(dir, "project");
    const table: readonly [string, boolean][] = [
      [project, true],
      [`${project}/`, true],
      [`${project}/.`, true],
      [`${project}/file`, true],
      [`/../../${project}/file`, true],
      [`${project}/out/file`, false],
      [`${project}/..`, false],
      [`${project}s/file`, false],
      [`${project}s`, false],
      [dir, false],
    ];
    for (const [path, within] of table) {
      for (const cwd of [undefined, "/", project]) {
        assert.deepEqual(await isWithin(path, cwd, project), { within }, path);
      }
    }
    assert.deepEqual(await isWithin("/etc/../anything", undefined, "/"), { within: true });
  });
});

unix.test("isWithin() sees relative paths from the real directory of the call", async () => {
  await withTree(async (dir) => {
    const project = join(dir, "project");
    const table: readonly [path: string, cwd: string, within: boolean][] = [
      ["file", join(project, "src"), true],
      ["..", join(project, "src"), true],
      ["../..", join(project, "src"), false],
      // The directory is a link: the system begins where it leads
      ["..", join(project, "in_deep"), true],
      ["../../..", join(project, "in_deep"), false],
      ["file", join(project, "out"), false],
      ["../project/file", join(project, "out"), true],
      ["back/file", join(project, "out"), true],
      ["file", join(dir, "outside", "back"), true],
    ];
    for (const [path, cwd, within] of table) {
      assert.deepEqual(await isWithin(path, cwd, project), { within }, `${path} from ${cwd}`);
    }
    const missing = await isWithin("file", join(dir, "none"), project);
    assert.match("reason" in missing ? missing.reason : "", /No such file/);
  });
});

/** What a process under `flags` answers for `paths`, seen from `cwd`. */
async function answersUnder(
  flags: readonly string[],
  { paths, cwd, directory }: { paths: readonly string[]; cwd: string; directory: string },
): Promise<readonly { within?: boolean; reason?: string }[]> {
  const module = new URL("../../src/policy/paths.ts", import.meta.url).href;
  const program = `import { isWithin } from ${JSON.stringify(module)};
    const answers = [];
    for (const path of ${JSON.stringify(paths)}) {
      answers.push(await isWithin(path, ${JSON.stringify(cwd)}, ${JSON.stringify(directory)}));
    }
    console.log(JSON.stringify(answers));`;
  await using dir = await scratch({ "ask.ts": program });
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", ...flags, join(dir.path, "ask.ts")],
    cwd: directory,
    stderr: "inherit",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

linux.test("isWithin() does not follow links that each process has for itself", async () => {
  await withTree(async (dir) => {
    // They lead the process that asks into the directory, and a program run elsewhere out of it
    const directory = join(dir, "project");
    const cwd = join(dir, "outside");
    const paths = ["/proc/self/cwd/file", "../project/proc_cwd/file", "/proc/thread-self/cwd/file"];
    for (const { reason } of await answersUnder(["--allow-all"], { paths, cwd, directory })) {
      assert.match(reason ?? "", /^'\/proc\/.*' leads elsewhere for each process$/);
    }
    // Deno lets nobody without every permission look there at all
    for (const { within } of await answersUnder(["--allow-read"], { paths, cwd, directory })) {
      assert.notEqual(within, true);
    }
  });
});

unix.test("isWithin() calls outside what Deno does not let it see there", async () => {
  await withTree(async (dir) => {
    const directory = join(dir, "project");
    const flags = [`--allow-read=${directory}`];
    const seen = ["file", "src/../file", "in/file"];
    const hidden = ["../outside/file", "out/file", "out_absolute", "root/etc", "/etc/x"];
    const paths = [...seen, ...hidden];
    const answers = await answersUnder(flags, { paths, cwd: directory, directory });
    for (const [index, { within, reason }] of answers.entries()) {
      if (index < seen.length) assert.equal(within, true, paths[index]);
      else assert.deepEqual({ within, reason }, { within: false, reason: undefined }, paths[index]);
    }
    assert.equal(answers.length, paths.length);
  });
});

unix.test("isWithin() counts the links of a path as the system does", async () => {
  await using dir = await scratch({ "l0": "end" });
  for (let index = 1; index <= 41; index++) {
    await Deno.symlink(`l${index - 1}`, join(dir.path, `l${index}`));
  }
  assert.deepEqual(await isWithin("l40", dir.path, dir.path), { within: true });
  const found = await isWithin("l41", dir.path, dir.path);
  assert.equal("reason" in found && found.reason, "too many symbolic links");
});

unix.test("resolvePath() gives the path without links", async () => {
  await withTree(async (dir) => {
    const table: readonly [string, string][] = [
      ["project/in/../file", "project/file"],
      ["project/out/../projects/new/x", "projects/new/x"],
      ["project/dangling_out", "outside/none"],
      ["project/", "project"],
      ["./".repeat(2048), ""],
    ];
    assert.equal((await resolvePath(`${"./".repeat(2048)}.`, { cwd: dir })).ok, false);
    for (const [path, real] of table) {
      assert.deepEqual(await resolvePath(path, { cwd: dir }), { ok: true, path: join(dir, real) });
    }
  });
});

/** Names that the trees are made of: folders, a file in each folder, links, and what is not there. */
const folders = ["inside", "inside/a", "inside/a/c", "inside/b", "outside", "outside/x"];
const linkNames = ["l0", "l1", "l2", "l3", "l4"];
const step = fc.constantFrom(
  ...["a", "b", "c", "x", "inside", "outside", "file", "new", "..", "..", "..", ".", ""],
  ...linkNames,
  ...linkNames,
);
const anyPath = fc.array(step, { minLength: 1, maxLength: 8 }).map((steps) => steps.join("/"));
const anyTree = fc.record({
  links: fc.tuple(
    ...linkNames.map(() => fc.tuple(fc.constantFrom(...folders), anyPath, fc.boolean())),
  ),
  cwd: fc.constantFrom("inside", "inside/a", "inside/a/c"),
  paths: fc.array(fc.tuple(anyPath, fc.boolean()), { minLength: 40, maxLength: 40 }),
});

/** Reads, appends to and makes each of the paths, as any program would. */
const touchAll = `for path; do
  cat -- "$path" 2>/dev/null && echo changed 2>/dev/null >> "$path"
  mkdir -- "$path" 2>/dev/null || : 2>/dev/null > "$path"
done
true`;

function snapshot(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory, isSymlink }) => {
    const path = join(folder, name);
    if (isSymlink) return [`${path} -> ${Deno.readLinkSync(path)}`];
    return isDirectory ? [path, ...snapshot(path)] : [`${path}: ${Deno.readTextFileSync(path)}`];
  }).toSorted();
}

unix.test("isWithin() accepts nothing that reaches a file outside, by property", async () => {
  let accepted = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(anyTree, async ({ links, cwd, paths }) => {
      await using dir = await scratch();
      for (const folder of folders) {
        await Deno.mkdir(join(dir.path, folder));
        await Deno.writeTextFile(join(dir.path, folder, "file"), `<${folder.split("/")[0]}>`);
      }
      for (const [index, [folder, target, absolute]] of links.entries()) {
        const text = absolute ? `${dir.path}/${target}` : target;
        await Deno.symlink(text === "" ? "." : text, join(dir.path, folder, linkNames[index]!));
      }
      const directory = join(dir.path, "inside");
      const place = join(dir.path, cwd);
      const values: string[] = [];
      for (const [path, absolute] of paths) {
        const value = absolute ? `${dir.path}/${path}` : path;
        const found = await isWithin(value, place, directory);
        if ("within" in found && found.within) values.push(value, normalize(value));
        else refused++;
      }
      accepted += values.length;
      const before = snapshot(join(dir.path, "outside"));
      const { stdout } = await new Deno.Command("sh", {
        args: ["-c", touchAll, "sh", ...values],
        cwd: place,
        stderr: "null",
      }).output();
      assert.equal(new TextDecoder().decode(stdout).includes("<outside>"), false);
      assert.deepEqual(snapshot(join(dir.path, "outside")), before);
      assert.deepEqual([...Deno.readDirSync(dir.path)].map(({ name }) => name).toSorted(), [
        "inside",
        "outside",
      ]);
    }),
    { numRuns: 60 },
  );
  assert.equal(accepted > 200, true, `only ${accepted} paths were accepted`);
  assert.equal(refused > 200, true, `only ${refused} paths were refused`);
});

unix.test("isWithin() has the folder of logins inside nothing", () =>
  withTree(async (dir) => {
    const project = join(dir, "project");
    await Deno.mkdir(join(project, ".climax-logins"));
    await Deno.symlink(".climax-logins", join(project, "logins"));
    for (const path of [".climax-logins/a.json", "logins/a.json", "src/../.Climax-Logins"]) {
      assert.deepEqual(await isWithin(path, project, project), { within: false }, path);
    }
  }));
