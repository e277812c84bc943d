/** Configs of one's own: which is found, and who is told. */

import assert from "node:assert/strict";
import { withHousehold } from "../../_fixtures.ts";
import { climax, ends, type Ran } from "../../cli/commands/_climax.ts";
import { linux } from "../../_requirements.ts";

function config(name: string, word: string): string {
  return `name: ${name}\ndescription: ${word}\ncommand: echo\ntools:\n` +
    `  - name: ${name}_say\n    description: Say ${word}\n    command: ${word}\n`;
}

interface Place {
  run(args: readonly string[], env?: Record<string, string>): Promise<Ran>;
  path(...parts: string[]): string;
}

async function withPlace(files: Record<string, string>, use: (place: Place) => Promise<void>) {
  await withHousehold(files, async ({ path }) => {
    const home = { HOME: path("home"), XDG_CONFIG_HOME: "" };
    await use({
      path,
      run: (args, env) => climax(args, { cwd: path("project"), env: { ...home, ...env } }),
    });
  });
}

const personal = "home/.config/climax/configs";

linux.test("a project's config stands before the person's, and that before the bundled one", async () => {
  const files = {
    "project/.climax/git.yaml": config("git", "project"),
    [`${personal}/git.yaml`]: config("git", "person"),
  };
  await withPlace(files, async ({ run, path }) => {
    await run(["trust", "--project", "git", "--yes"]);
    await ends(run(["call", "git", "--", "git_say"]), {
      stdout: "project\n",
      stderr:
        /^\S* ?.*\.climax\/git\.yaml: This is the config 'git' here; .*configs\/git\.yaml is hidden by it\n/,
    });
    await Deno.remove(path("project", ".climax", "git.yaml"));
    const second = await run(["call", "git_say", "--config", "git"]);
    assert.equal(second.stdout, "person\n");
    assert.match(second.stderr, /the bundled one is hidden by it\n/);
    await Deno.remove(path(personal, "git.yaml"));
    await ends(run(["list", "git"]), { stdout: /^git_log /m, stderr: "" });
  });
});

linux.test("a project's config hides no other until the person accepts it", async () => {
  const files = { "project/.climax/git.yaml": config("git", "project") };
  await withPlace(files, async ({ run, path }) => {
    const passedOver =
      /This config of the project is not used, for it would hide the bundled one\n.* hint: Read it, and accept it: climax trust --project git\n/;
    for (const words of [["list", "git"], ["list", "@vcs"]]) {
      const { stdout, stderr } = await ends(run(words), { stdout: /^git_log /m });
      assert.doesNotMatch(stdout, /git_say/);
      assert.match(stderr, passedOver);
    }
    assert.match((await run(["call", "git_say", "--config", "git"])).stdout, /^Unknown tool/);

    const asked = await run(["trust", "--project", "git"]);
    assert.equal(asked.code, 2);
    assert.match(asked.stdout, /^\.climax\/git\.yaml:\n {2}name: git\n[^]* {2}command: echo\n/);
    assert.match(
      asked.stdout,
      /git\.yaml: not accepted: not a terminal to ask at; --yes accepts without asking\n$/,
    );
    assert.match((await run(["list", "git"])).stderr, passedOver);

    await ends(run(["trust", "--project", "git", "--yes"]), { code: 0, stderr: "" });
    assert.equal((await run(["call", "git", "--", "git_say"])).stdout, "project\n");
    // Of the same name in another folder, nobody has said anything
    await Deno.rename(path("project", ".climax"), path("home", ".climax"));
    await Deno.mkdir(path("project", ".climax"));
    await Deno.writeTextFile(path("project", ".climax", "git.yml"), config("git", "other"));
    assert.match((await run(["list", "git"])).stdout, /^git_log /m);

    const wrong: [string[], RegExp][] = [
      [["--project", "docker"], /No config 'docker' is in \.climax of this folder\n/],
      [["--project", "git", "--all"], /--project and servers exclude each other\n/],
    ];
    for (const [words, text] of wrong) {
      await ends(run(["trust", ...words]), { code: 2, stderr: text });
    }
    // A list that is broken accepts nothing
    await Deno.writeTextFile(path("home", ".config", "climax", "accepted.json"), "{");
    assert.match((await run(["list", "git"])).stdout, /^git_log /m);
  });
});

linux.test("a name finds nothing above the current folder, and no path", async () => {
  await withPlace({
    ".climax/over.yaml": config("over", "x"),
    "home/.config/climax/out.yaml": config("out", "x"),
  }, async ({ run }) => {
    for (const name of ["over", "..", "..out"]) {
      await ends(run(["list", name]), { code: 3, stderr: /^error: Unknown config '/ });
    }
  });
});

linux.test("a name beside a file of that name gets a hint", async () => {
  await withPlace({ "project/zq.yaml": config("zq", "x") }, async ({ run }) => {
    for (const args of [["list", "zq"], ["run", "zq"], ["zq"]]) {
      await ends(run(args), {
        code: 3,
        stderr:
          /^error: Unknown config 'zq'\n {2}hint: Did you mean the file beside you: \.\/zq\.yaml\n/,
      });
    }
  });
});

linux.test("climax new writes a config that is found, served and listed", async () => {
  await withPlace({}, async ({ run, path }) => {
    const written = await run(["new", "zq-2"]);
    assert.equal(
      written.stdout,
      `Wrote ${path(personal, "zq-2.yaml")}\nNext: edit it, then climax validate zq-2\n`,
    );
    await ends(run(["new", "zq-2"]), { code: 3, stderr: /The file already exists\n {2}hint: / });
    const dry = await run(["call", "zq-2", "--dry-run", "--", "zq_2_version"]);
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /^\$ zq-2 --version\n/);
    await ends(run(["list"]), { stdout: /^zq-2 +1 +(?:yes|no) +misc +yours +What zq-2 is for$/m });
    assert.match((await run(["completions", "bash"])).stdout, / zq-2 /);
    // The tool that is commented out is one, too
    const file = path(personal, "zq-2.yaml");
    const text = await Deno.readTextFile(file);
    const open = text.replace(
      /^ {2}# (.*)$/gm,
      (line, rest) => /^[- ]/.test(rest) ? `  ${rest}` : line,
    );
    await Deno.writeTextFile(file, open);
    const tools = JSON.parse((await run(["list", "zq-2", "--json"])).stdout) as {
      tool_name: string;
    }[];
    assert.deepEqual(tools.map(({ tool_name }) => tool_name).toSorted(), [
      "zq_2_list",
      "zq_2_version",
    ]);

    await ends(run(["new", "git", "--project"]), {
      stdout:
        /^Wrote \.climax\/git\.yaml\nnote: It is a copy of the bundled config 'git', which it hides\n/,
    });
    for (const bad of ["a/b", "..", "-x", "run", "x".repeat(65)]) {
      assert.equal((await run(["new", "--", bad])).code, 2, bad);
    }
  });
});

linux.test("CLIMAX_CONFIG names the configs of a command line without any", async () => {
  await withPlace({ [`${personal}/own.yaml`]: config("own", "x") }, async ({ run }) => {
    const env = { CLIMAX_CONFIG: "own, git" };
    const names = async (...args: string[]) => {
      const { stdout } = await ends(run([...args, "--json"], env), { stderr: "" });
      return JSON.parse(stdout);
    };
    const { summary } = await names("search");
    assert.deepEqual(summary.map(({ name }: { name: string }) => name).toSorted(), ["git", "own"]);
    assert.equal((await run(["call", "own_say"], env)).stdout, "x\n");
    assert.equal((await run(["validate"], env)).code, 0);
    assert.match((await run(["search", "docker", "--", "container"], env)).stdout, /^docker_/m);
  });
});

linux.test("climax new refuses names that would not find the file", async () => {
  const rows: readonly [string, RegExp][] = [
    ["jq.yaml", /hint: A word with that ending is a file: climax new jq\n/],
    ["nul", /hint: Windows keeps that name for a device: choose another one\n/],
    ["Aux.d", /hint: Windows keeps that name/],
    ["list", /hint: It is a command of climax/],
    ["a b", /hint: Letters, digits/],
  ];
  await withPlace({}, async ({ run }) => {
    for (const [name, said] of rows) {
      await ends(run(["new", name]), { code: 2, stderr: said });
    }
    assert.equal((await run(["new", "console"])).code, 0);
  });
});

linux.test("climax new --project says when nobody can accept what it writes", async () => {
  // Where acceptance would be noted, a file is in the way
  await withPlace({ "home/.config": "" }, async ({ run }) => {
    for (const [name, home] of [["git", {}], ["jq", { HOME: "" }]] as const) {
      const made = await ends(run(["new", name, "--project"], home), { code: 0, stderr: "" });
      const used = `The bundled config '${name}' is used until this one is accepted`;
      assert.ok(made.stdout.includes(used), made.stdout);
      assert.match(made.stdout, /and climax trust --project \w+$/m);
      assert.match((await run(["list", name], home)).stderr, /is not used/);
    }
  });
});

linux.test("climax new copies a bundled config, which climax show prints", async () => {
  await withPlace({}, async ({ run, path }) => {
    const shown = await ends(run(["show", "git"]), { code: 0, stdout: /^name: git$/m });
    await ends(run(["new", "git"]), {
      stdout: /note: It is a copy of the bundled config 'git', which it hides\n/,
    });
    const text = await Deno.readTextFile(path(personal, "git.yaml"));
    // The first line, for editors, names another file
    const body = (yaml: string) => yaml.split("\n").slice(1);
    assert.deepEqual(body(text), body(shown.stdout));
    assert.match(text, /^# yaml-language-server: \$schema=\.\.\/schemas\//);
    assert.equal((await run(["show", "git"])).stdout, text);
    assert.match((await run(["list", "git"])).stdout, /^git_log /m);
    assert.equal((await run(["validate", "git"])).code, 0);
    const none = await run(["show", "gti"]);
    assert.equal(none.code, 3);
    assert.match(none.stderr, /^error: Unknown config 'gti'\n {2}hint: Did you mean: git/);
  });
});
