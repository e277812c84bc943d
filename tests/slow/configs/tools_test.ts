/** The bundled configs as catalogues, and their git and coreutils tools really run. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { bundledConfigs } from "../../../src/sources/command/bundled.ts";
import { hazardsOf } from "../../../src/sources/command/hazards.ts";
import { loadConfigs } from "../../../src/sources/command/load.ts";
import { root } from "../../_fixtures.ts";
import { connect, type SeenResult } from "../../e2e/_clients.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { gitDaemon, repository, whyNot } from "../../configs/_programs.ts";

for (const config of bundledConfigs.keys()) {
  Deno.test(`bundled config ${config} loads without warnings and explains itself`, async () => {
    const { tools, problems, warnings } = await loadConfigs([config], () => "set");
    assert.deepEqual([problems, warnings, hazardsOf(tools)], [[], [], []]);
    assert.ok(tools.length > 0);
    for (const { name, description, owner: cli, args } of tools) {
      assert.notEqual(description, "", name);
      assert.notEqual(cli.description, "", name);
      assert.notEqual(cli.category, undefined, name);
      assert.notDeepEqual(cli.tags, [], name);
      for (const arg of args.filter(({ fixed }) => fixed === undefined)) {
        assert.notEqual(arg.description, "", `${name} ${arg.name}`);
      }
    }
  });
}

Deno.test("the patterns, paths and schemas of the bundled configs are some, as of any file", async () => {
  const files = [...bundledConfigs.keys()].map((name) => join(root, "configs", `${name}.yaml`));
  assert.deepEqual((await loadConfigs(files, () => "set")).problems, []);
  // A path that is none is seen
  const text = await Deno.readTextFile(join(root, "configs", "cargo.yaml"));
  const broken = { file: "cargo.yaml", text: text.replace("$.packages", "packages") };
  const seen = await loadConfigs([broken], () => "set");
  assert.match(seen.problems[0]?.message ?? "", /^Path 'packages' cannot be followed/);
});

Deno.test("the bundled configs share no tool name", async () => {
  const { warnings, problems } = await loadConfigs([...bundledConfigs.keys()], () => "set");
  assert.deepEqual([problems, warnings], [[], []]);
});

Deno.test("every long pattern of the bundled configs is said in words, and names tools and arguments that are", async () => {
  const { tools } = await loadConfigs([...bundledConfigs.keys()], () => "set");
  const names = new Set(tools.flatMap(({ name, args }) => [name, ...args.map((arg) => arg.name)]));
  const words = tools.flatMap(({ name, args, owner }) => {
    return args.flatMap(({ name: arg, limits, patternWords = "" }) => {
      if (patternWords === "" && (limits?.pattern?.length ?? 0) <= 40) return [];
      assert.notEqual(patternWords, "", `${name} ${arg}`);
      return [[owner.name, patternWords] as const];
    });
  });
  assert.ok(words.length > 20);
  const named = words.flatMap(([cli, text]) => {
    return Array.from(text.matchAll(/[a-z0-9]+(?:_[a-z0-9]+)+/g), ([tool]) => [cli, tool] as const);
  });
  assert.ok(named.some(([, tool]) => tool === "sqlite3_explain"));
  assert.deepEqual(named.filter(([, tool]) => !names.has(tool)), []);
});

Deno.test("no alias of the bundled configs is the name of a tool", async () => {
  const { tools } = await loadConfigs([...bundledConfigs.keys()], () => "set");
  const names = new Set(tools.map(({ name }) => name));
  const aliases = tools.flatMap(({ aliases = [] }) => aliases);
  assert.ok(aliases.includes("git_checkout"));
  assert.deepEqual(aliases.filter((alias) => names.has(alias)), []);
});

/** A call and what must stand in its text; a call that must fail; a file to write. */
type Step =
  | readonly [tool: string, args: Args, has?: string | RegExp]
  | readonly ["fails", tool: string, args: Args, has: string | RegExp]
  | readonly ["write", file: string, content: string];
type Args = Readonly<Record<string, unknown>>;

/**
 * Carries out `steps` in `directory` with a server that was started in `cwd`; every tool of the
 * config must be among them.
 */
async function play(
  config: string,
  steps: readonly Step[],
  directory: string,
  cwd = directory,
): Promise<void> {
  await using client = await connect([config, "--classic"], { cwd });
  const listed = (await client.list()).map(({ name, inputSchema }) => {
    const { properties } = inputSchema as { properties: Record<string, unknown> };
    return [name, Object.keys(properties)] as const;
  });
  const known = new Map(listed);
  const used = new Set<string>();
  for (const [number, step] of steps.entries()) {
    if (isWrite(step)) {
      await Deno.writeTextFile(join(directory, step[1]), step[2]);
      continue;
    }
    const [name, args, has] = isFailure(step) ? [step[1], step[2], step[3]] : step;
    const given = known.get(name)?.includes("directory") ? { directory, ...args } : args;
    const unknown = Object.keys(given).filter((key) => !known.get(name)?.includes(key));
    assert.deepEqual(unknown, [], `${name} has no such arguments`);
    const done = await client.call(name, given);
    const place = `step ${number}: ${name} ${JSON.stringify(args)}: ${done.text}`;
    assert.equal(done.isError, isFailure(step), place);
    assert.ok(holds(done, has), `${place}\nhas not ${has}`);
    used.add(name);
  }
  assert.deepEqual(listed.map(([name]) => name).filter((name) => !used.has(name)), []);
}

function isWrite(step: Step): step is readonly ["write", string, string] {
  return step[0] === "write";
}

function isFailure(step: Step): step is readonly ["fails", string, Args, string | RegExp] {
  return step[0] === "fails";
}

function holds(
  { text: first, beside = [] }: SeenResult,
  has: string | RegExp | undefined,
): boolean {
  if (has === undefined) return true;
  const text = [first, ...beside].join("\n");
  return typeof has === "string" ? text.includes(has) : has.test(text);
}

const patch = "--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n-one\n+1\n two\n three\n";

/** An everyday life of a repository, in the order that the tools need. */
function gitSteps(outside: string, remote: string): Step[] {
  return [
    ["git_root", {}, /climax-test-/],
    ["write", "-dash", "dash\n"],
    ["write", "README.md", "one\nTWO\nthree\n"],
    ["git_status", { short: true, branch: true, untracked_files: "all" }, "?? -dash"],
    ["git_status", { porcelain: "v2", path: "README.md" }, "README.md"],
    ["git_diff", {}, "+TWO"],
    ["git_diff", { revision: "HEAD", stat: true, unified: 1, path: "README.md" }, "README.md |"],
    ["git_add", { path: "-dash" }],
    ["git_add", { all: true, dry_run: true }, "add 'README.md'"],
    ["git_commit", { message: "--second\n\nbody", signoff: true, author: "Bob <b@x.org>" }],
    ["git_commit", { message: "third", all: true }, "1 file changed"],
    ["git_log", { max_count: 2, format: "%an %s" }, "Bob --second"],
    ["git_log", { author: "Bob", grep: "body", oneline: true, graph: true, stat: true }, "* "],
    ["git_log", { search: "TWO", patch: true, follow: true, path: "README.md" }, "+TWO"],
    ["git_log", { since: "2020-01-01", until: "2020-01-02", no_merges: true }, "(no output)"],
    ["git_show", { revision: "HEAD~1:README.md" }, "two"],
    ["git_show", { stat: true, format: "%s" }, "third"],
    ["git_blame", { path: "README.md", lines: "2,2", show_email: true, date: "short" }, "TWO"],
    ["git_grep", { pattern: "-?DASH", ignore_case: true, extended_regexp: true }, "-dash"],
    ["git_grep", { pattern: "nowhere" }, /^nothing matched$/],
    ["git_ls_files", { path: "*.md" }, "README.md"],
    ["git_ls_files", { path: ["README.md", "-dash"] }, /-dash\nREADME\.md/],
    ["git_shortlog", { summary: true, numbered: true, email: true }, "<ada@example.org>"],
    ["git_rev_parse", { revision: "HEAD" }, /^[0-9a-f]{40}$/],
    ["git_tag_create", { name: "v1", message: "-- release" }],
    ["git_tag_create", { name: "v0", revision: "HEAD~1" }],
    ["git_tag_list", { pattern: "v*", messages: true }, "-- release"],
    ["git_describe", { tags: true, long: true }, "v1-0-g"],
    ["git_tag_delete", { name: "v0" }, "Deleted tag 'v0'"],
    ["git_config_get", { key: "core.autocrlf" }, "false"],
    ["git_reflog", { max_count: 1 }, "HEAD@{0}"],

    // Branches
    ["git_branch_create", { name: "feat", start_point: "HEAD~1" }],
    ["git_branch_rename", { old_name: "feat", new_name: "feature" }],
    ["git_branch_list", { pattern: "f*", verbose: true }, "feature"],
    ["git_switch", { branch: "feature" }],
    ["git_branch_current", {}, /^feature$/],
    ["git_merge_base", { first: "main", second: "feature" }, /^[0-9a-f]{40}$/],
    ["git_mv", { source: "./-dash", destination: "dash" }],
    ["git_commit", { message: "moved" }],
    ["git_rebase", { upstream: "main" }],
    ["git_switch", { branch: "main" }],
    ["git_merge", { revision: "feature", no_ff: true, message: "merge it" }, "dash"],
    ["git_log", { format: "%s", max_count: 1 }, /^merge it$/],
    ["git_branch_delete", { name: "feature" }, "Deleted branch feature"],
    ["git_switch_create", { name: "pick", start_point: "main~1" }],
    ["write", "pick.txt", "pick\n"],
    ["git_add", { path: "pick.txt" }],
    ["git_commit", { message: "picked" }],
    ["git_switch", { branch: "main" }],
    ["git_cherry_pick", { revision: "pick", record_origin: true }, "picked"],
    ["git_revert", { revision: "HEAD" }, 'Revert "picked"'],
    ["git_reset", { revision: "HEAD~1" }],
    ["git_reset_hard", { revision: "HEAD" }, "HEAD is now at"],
    ["git_reset_soft", { revision: "HEAD~1" }],
    ["git_commit", { message: "picked again" }],

    // Conflicts, and the ways out of them
    ["git_switch", { branch: "pick" }],
    ["write", "README.md", "of pick\n"],
    ["git_commit", { message: "of pick", all: true }],
    ["git_switch", { branch: "main" }],
    ["write", "README.md", "one\ntwo\nthree\n"],
    ["git_commit", { message: "of main", all: true }],
    ["fails", "git_cherry_pick", { revision: "pick" }, "CONFLICT"],
    ["git_cherry_pick_abort", {}],
    ["fails", "git_cherry_pick", { revision: ["pick~1", "pick"] }, "git_cherry_pick_continue"],
    ["fails", "git_cherry_pick_skip", {}, "git cherry-pick --continue"],
    ["git_restore", { path: "README.md", theirs: true }],
    ["git_add", { path: "README.md" }],
    ["git_cherry_pick_continue", {}, "of pick"],
    ["fails", "git_revert", { revision: "HEAD~1" }, "CONFLICT"],
    ["git_restore", { path: "README.md", ours: true }],
    ["git_revert_abort", {}],
    ["fails", "git_revert", { revision: "HEAD~1" }, "CONFLICT"],
    ["write", "README.md", "reverted\n"],
    ["git_add", { path: "README.md" }],
    ["git_revert_continue", {}, "Revert"],
    ["git_reset_hard", { revision: "HEAD~2" }],
    ["fails", "git_merge", { revision: "pick" }, "CONFLICT"],
    ["git_merge_abort", {}],
    ["fails", "git_merge", { revision: "pick" }, "CONFLICT"],
    ["write", "README.md", "merged\n"],
    ["git_add", { path: "README.md" }],
    ["git_merge_continue", {}, "Merge branch 'pick'"],
    ["git_reset_hard", { revision: "HEAD~1" }],
    ["git_log", { lines: "1,1:README.md", max_count: 1 }, "+one"],
    ["git_log", { reverse: true, max_count: 2, format: "%s" }, /\nof main$/],
    ["git_switch", { branch: "pick" }],
    ["fails", "git_rebase", { upstream: "main" }, "CONFLICT"],
    ["git_rebase_abort", {}],
    ["fails", "git_rebase", { upstream: "main" }, "CONFLICT"],
    ["git_rebase_skip", {}],
    ["git_reset_hard", { revision: "ORIG_HEAD" }],
    ["fails", "git_rebase", { upstream: "main" }, "CONFLICT"],
    ["write", "README.md", "of both\n"],
    ["git_add", { path: "README.md" }],
    ["git_rebase_continue", {}, "of pick"],
    ["git_switch", { branch: "main" }],

    // Work put aside, patches, removed files
    ["write", "README.md", "stashed\n"],
    ["git_stash_push", { message: "-m", include_untracked: true }, "-m"],
    ["git_stash_list", {}, "-m"],
    ["git_stash_show", { stash: "stash@{0}", patch: true }, "+stashed"],
    ["git_stash_apply", { stash: "stash@{0}" }, "README.md"],
    ["git_restore", { path: "README.md" }],
    ["git_stash_pop", { stash: "stash@{0}" }, "Dropped"],
    ["git_stash_push", {}],
    ["git_stash_drop", { stash: "stash@{0}" }, "Dropped"],
    ["git_apply", { patch, check: true }, "Checking patch README.md"],
    ["git_apply", { patch }],
    ["git_restore", { path: "README.md", staged: true, worktree: true }],
    ["git_status", { short: true }, "(no output)"],
    ["git_rm", { path: "dash", cached: true }, "rm 'dash'"],
    ["git_restore", { path: "dash", staged: true }],

    // Leftovers, a second working tree, the commit that broke something
    ["write", ".env", "KEY=1\n"],
    ["write", "left.tmp", "left\n"],
    ["git_clean", { dry_run: true, directories: true }, /^Would remove left\.tmp$/],
    ["git_clean", { directories: true }, /^Removing left\.tmp$/],
    ["git_status", { short: true }, /^\?\? \.env$/],
    [
      "git_worktree_add",
      { path: "second", new_branch: "second", revision: "HEAD~1" },
      "HEAD is now",
    ],
    ["git_worktree_remove", { path: "second" }],
    ["git_bisect_start", { bad: "HEAD", good: "HEAD~4" }, "Bisecting"],
    ["git_bisect_skip", {}, "Bisecting"],
    ["git_bisect_bad", {}, /Bisecting|first bad commit|only 'skip'ped/],
    ["git_bisect_good", { revision: "main~4" }],
    ["git_bisect_log", {}, "git bisect start"],
    ["git_bisect_reset", {}, "branch 'main'"],
    ["write", "README.md", "not committed\n"],
    [
      "fails",
      "git_bisect_start",
      { bad: "HEAD", good: "HEAD~4" },
      /README\.md/,
    ],
    ["git_bisect_start", { bad: "HEAD", good: "HEAD~4", no_checkout: true }, "Bisecting"],
    ["git_bisect_reset", {}],
    ["git_restore", { path: "README.md" }],

    // Remotes
    ["git_init", { path: "bare.git", bare: true, initial_branch: "main", directory: outside }],
    ["git_remote_add", { name: "origin", url: `${remote}/bare.git` }],
    ["git_remote_list", {}, "bare.git"],
    ["git_push", { refspec: "main", set_upstream: true, tags: true }, "main -> main"],
    ["git_fetch", { prune: true, tags: true }],
    ["git_pull", {}, "Already up to date."],
    ["git_clone", { url: `${remote}/bare.git`, path: "copy", directory: outside }, "Cloning"],
    ["git_worktree_list", {}, "[main]"],
    ["fails", "git_diff", { revision: "/etc/passwd", path: "/etc/hosts", directory: outside }, /./],
  ];
}

const noGit = await whyNot("git");

Deno.test("every tool of the bundled git config does its work in a real repository", {
  ignore: noGit !== undefined,
}, async () => {
  await using repo = await repository();
  await using outside = await scratch();
  await using remote = await gitDaemon(outside.path);
  await play("git", gitSteps(outside.path, remote.url), repo.path, dirname(repo.path));
});

const coreutilsSteps: Step[] = [
  ["write", "t", "b 2\na 10\na 10\n"],
  ["write", "-dash", "dash\n"],
  ["ls", { all: true, long: true, human: true, by_time: true, reverse: true, path: "." }, "-dash"],
  ["ls", { itself: true, path: "-dash" }, /^-dash$/],
  ["cat", { path: "-dash", number: true }, /^ *1\tdash$/],
  ["head", { lines: 1, path: "t" }, /^b 2$/],
  ["tail", { lines: 1, path: "t" }, /^a 10$/],
  ["wc", { lines: true, path: "t" }, /^3 t$/],
  ["sha256sum", { path: "-dash" }, /^[0-9a-f]{64} {2}-dash$/],
  ["stat", { path: "t" }, "t"],
  ["du", { summarize: true, path: "." }, /\.$/],
  ["df", { human: true, path: "." }, "%"],
  ["pwd", { physical: true }, /climax-test-/],
  ["basename", { path: "/a/b.txt", suffix: ".txt" }, /^b$/],
  ["dirname", { path: "/a/b.txt" }, /^\/a$/],
  ["sort", { text: "b 2\na 10\n", numeric: true, key: "2", separator: " " }, /^b 2\na 10$/],
  ["uniq", { text: "a\na\nb\n", count: true }, /^ *2 a\n +1 b$/],
  ["cut", { text: "a,b\n", fields: "2", delimiter: "," }, /^b$/],
  ["tr", { text: "abc", from: "a-z", to: "A-Z" }, /^ABC$/],
  ["echo", { text: "$HOME; `id` *" }, /^\$HOME; `id` \*$/],
  ["seq", { first: -2, increment: -2, last: -6 }, /^-2\n-4\n-6$/],
  ["seq", { last: 3 }, /^1\n2\n3$/],
  ["date", { utc: true, format: "+%Y-%m-%d" }, /^\d{4}-\d\d-\d\d$/],
  ["uname", { machine: true }, /^\w+$/],
  ["whoami", {}, /^\S+$/],
  ["fails", "date", { format: "2020-01-01" }, "must be one of"],
  ["fails", "cat", { path: "no-such-file" }, "[exit code: 1]"],
];

const noCoreutils = await whyNot("ls");

Deno.test("every tool of the bundled coreutils config does its work", {
  ignore: noCoreutils !== undefined,
}, async () => {
  await using dir = await scratch();
  await play("coreutils", coreutilsSteps, dir.path);
});
