/** Members of an archive are left out under each spelling that leads to a protected file. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { programs } from "../../_requirements.ts";
import { ground } from "./_ground.ts";

const { test } = await programs({ unzip: ["-v"], python3: ["--version"], prlimit: ["--version"] });

/** Makes a zip archive of members as they are given, by the system (0: DOS). */
const making = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
  for system, name in (each.split("=", 1) for each in sys.argv[2:]):
    member = zipfile.ZipInfo("x")
    member.filename, member.create_system = name, int(system)
    archive.writestr(member, "x")
`;

const members = [
  ...["3=plain/file", "0=dos\\file", "3=version;1"],
  ...["0=.git\\config", "0=a\\.git\\config", "0=b\\.GIT", "0=c\\.env", "0=.climax\\x.yaml"],
  ...["3=d/\u007f.git/config", "3=e/.g\u0001it/config", "0=f/\u001b.git/config"],
  ...["3=.git;1", "3=g/.git;12", "3=.npmrc;1", "3=h//.git//config", "3=i/./.git/config"],
];

test("zip_extract makes no .git and no credentials, however a member is spelt", async () => {
  await using place = await ground(["archives"], {});
  const { work } = place;
  const args = ["-c", making, join(work, "a.zip"), ...members];
  assert.equal((await new Deno.Command("python3", { args }).output()).code, 0);
  assert.match(await place.call("zip_extract", { path: "a.zip", destination: "out" }), /Unpacked/);
  const found = await tree(join(work, "out"));
  for (const name of ["file", "version;1"]) assert.ok(found.includes(name), `${found}`);
  assert.deepEqual(found.filter((name) => /^\.(?:git|env|npmrc|climax)$/i.test(name)), []);
});

test("tar_extract and zip_extract leave no repository, and go through no link", async () => {
  await using place = await ground(["archives"], {
    "sub/in/bare/HEAD": "ref: refs/heads/main\n",
    "sub/in/bare/config": "[core]\n\tfsmonitor = touch PWNED\n",
    "sub/in/bare/objects/x": "",
    "sub/in/bare/refs/x": "",
    "sub/in/HEAD": "of something else\n",
  });
  const sub = join(place.work, "sub");
  const make =
    "import shutil\nfor kind in ('gztar', 'zip'): shutil.make_archive('a', kind, '.', 'in')";
  const made = await new Deno.Command("python3", { args: ["-c", make], cwd: sub }).output();
  assert.equal(made.code, 0);
  await Deno.symlink("sub", join(place.work, "led"));
  for (const [tool, path] of [["tar_extract", "a.tar.gz"], ["zip_extract", "a.zip"]] as const) {
    const args = { path, destination: `of ${tool}`, directory: "sub" };
    assert.match(await place.call(tool, args), /bare' is a repository of git: its HEAD is now/);
    const found = await tree(join(sub, args.destination));
    assert.ok(found.includes("HEAD.set-aside") && found.includes("HEAD"), `${found}`);
    assert.match(await place.call(tool, args), /is there already/);
    const led = await place.call(tool, { ...args, destination: "new", directory: "led" });
    assert.match(led, /'led' is a link, which leads to 'sub'/);
  }
});

test("tar_create and zip_create take in no credential, follow no link and replace nothing", async () => {
  await using place = await ground(["archives"], {
    "docs/a b.md": "text\n",
    "docs/-TTtouch x": "text\n",
    "docs/.env": "A=1\n",
    "docs/sub/.ENV.bak": "A=1\n",
    "docs/sub/id_rsa": "key\n",
    "docs/.git/config": "[core]\n",
    "docs/bare/HEAD": "ref: refs/heads/main\n",
    "docs/bare/objects/x": "",
    "docs/bare/refs/x": "",
  });
  const { work } = place;
  await Deno.symlink("/etc", join(work, "docs/led"));
  await Deno.symlink("docs", join(work, "inner"));
  await new Deno.Command("mkfifo", { args: [join(work, "docs/pipe")] }).output();
  for (
    const [tool, end] of [["tar_create", "tar.gz"], ["tar_create", "tar"], [
      "zip_create",
      "zip",
    ]] as const
  ) {
    const destination = `out.${end}`;
    const answer = await place.call(tool, { source: "docs", destination });
    assert.match(
      answer,
      /created 'out.*left out, by their names: 'docs\/\.env', 'docs\/\.git', 'docs\/bare'/s,
    );
    const listed = await place.call(end === "zip" ? "zip_list" : "tar_list", { path: destination });
    const names = listed.matchAll(/docs\/\S.*$/gm).map(([name]) => name.replace(/ -> .*/, ""))
      .toArray();
    assert.deepEqual(names.sort(), ["docs/-TTtouch x", "docs/a b.md", "docs/led", "docs/sub/"]);
    const rows = [
      [{ source: "docs", destination }, /is there already/],
      [{ source: "inner", destination: `n.${end}` }, /is a link|'inner' is a link/],
      [{ source: "docs/led/hosts", destination: `n.${end}` }, /lies outside/],
      [{ source: "docs", destination: `inner/n.${end}` }, /is a link/],
      [{ source: "docs/sub/id_rsa", destination: `n.${end}` }, /never allowed/],
      [{ source: "docs", destination: `.git/n.${end}` }, /never allowed/],
      [{ source: "docs", destination: "n.txt" }, /expected a file that ends in/],
      [{ source: "docs/pipe", destination: `n.${end}` }, /nothing is left to pack/],
    ] as const;
    for (const [args, expected] of rows) assert.match(await place.call(tool, args), expected);
  }
  assert.deepEqual((await tree(work)).filter((name) => /part$|^n\./.test(name)), []);
});

test("tar_create and zip_create take in no file that another program reads in a name", async () => {
  const outside = await Deno.makeTempFile();
  await using place = await ground(["archives"], {
    "-": "",
    "x": "",
    "plain": "",
    [`x\r${outside}`]: "",
    "d/a\tb": "",
  });
  for (const end of ["tar", "zip"]) {
    const packed = { source: ".", destination: `out.${end}` };
    const left = /left out, by their names: '-', '.env', 'd\/a\\tb', 'x\\r'/;
    assert.match(await place.call(`${end}_create`, packed), left);
    const listed = await place.call(`${end}_list`, { path: packed.destination });
    assert.match(listed, /plain/);
    assert.doesNotMatch(listed, /tmp/);
  }
  await Deno.remove(outside);
});

test("tar_create and zip_create pack what was opened, whatever its name leads to later", async () => {
  const outside = await Deno.makeTempDir();
  await Deno.writeTextFile(join(outside, "s.txt"), "OUTSIDE");
  for (const [end, args] of [["tar", ["-xOf"]], ["zip", ["-p"]]] as const) {
    await using place = await ground(["archives"], { "z/s.txt": "inside" });
    const { work } = place;
    await Deno.writeFile(join(work, "big"), new Uint8Array(1 << 28));
    const archive = join(work, `out.${end}`);
    using changes = Deno.watchFs(work);
    const packed = place.call(`${end}_create`, { source: ["big", "z"], destination: archive });
    for await (const { paths } of changes) if (paths.some((path) => /part$/.test(path))) break;
    await Deno.rename(join(work, "z"), join(work, "aside"));
    await Deno.symlink(outside, join(work, "z"));
    const answer = await packed;
    if (/created/.test(answer)) {
      const command = new Deno.Command(end === "tar" ? "tar" : "unzip", {
        args: [...args, archive, "z/s.txt"],
      });
      assert.doesNotMatch(new TextDecoder().decode((await command.output()).stdout), /OUTSIDE/);
    } else assert.match(answer, /'z' is a link/);
    assert.deepEqual((await tree(work)).filter((name) => /part$/.test(name)), []);
  }
  await Deno.remove(outside, { recursive: true });
});

/** The names below `path`. */
async function tree(path: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(path));
  const below = entries.map(async ({ name, isDirectory }) => {
    return [name, ...isDirectory ? await tree(join(path, name)) : []];
  });
  return (await Promise.all(below)).flat();
}
