/**
 * An agent that wants a person's token, in the worst place for it: a server that runs in the home folder, where the
 * logins lie below. The bundled configs that read files do not show it.
 */

import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { loginPath } from "../../../src/sources/upstream/login/stored_login.ts";
import { AuthServer } from "../../sources/upstream/_auth_server.ts";
import { logInAt, stateFolderOfTest } from "../../sources/upstream/_login.ts";
import { programs } from "../../_requirements.ts";
import { connect } from "../../e2e/_clients.ts";
import { scratch } from "../../e2e/_scratch.ts";

const needed = await programs({
  rg: ["--version"],
  jq: ["--version"],
  grep: ["-V"],
  cat: ["/dev/null"],
  git: ["--version"],
});

needed.test("tools that read files show no token, wherever they are started", async () => {
  await using home = await scratch();
  using _state = stateFolderOfTest(join(home.path, ".local", "state", "climax"));
  await using server = new AuthServer();
  await logInAt(server);
  const file = loginPath({ server: "far", address: server.url })!;
  const own = relative(home.path, file);
  const folder = dirname(own);
  await Deno.symlink(file, join(home.path, "link.json"));
  await Deno.symlink(dirname(file), join(home.path, "folder"));
  const paths = [own, file, "link.json", `folder/${own.split("/").at(-1)}`];
  const directories = [folder, dirname(file), "folder"];
  const hidden = { hidden: true, no_ignore: true };
  const calls: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
    ...paths.flatMap((path) =>
      [
        ["files_read", { path: [path] }],
        ["files_grep", { pattern: "access_", path: [path] }],
        ["cat", { path: [path] }],
        ["head", { path: [path] }],
        ["tail", { path: [path] }],
        ["jq_file", { filter: ".", path: [path] }],
        ["rg_search", { pattern: "access_", path: [path], ...hidden }],
      ] as const
    ),
    ...directories.flatMap((directory) =>
      [
        ["files_grep", { pattern: "access_", directory }],
        ["rg_search", { pattern: "access_", directory, ...hidden }],
        ["rg_search", { pattern: "access_", path: [directory], ...hidden }],
        ["files_grep", { pattern: "access_", path: [directory] }],
      ] as const
    ),
    ...[".", ".local", ".local/state", ".local/state/climax"].flatMap((path) =>
      [
        ["files_grep", { pattern: "access_", path: [path] }],
        ["files_grep", { pattern: "access_", path: [path], include: ["*.json", ".climax-logins"] }],
        ["rg_search", { pattern: "access_", path: [path], ...hidden }],
        ["rg_search", {
          pattern: "access_",
          path: [path],
          glob: ["**/.climax-logins/**", ".climax-logins", "*.json"],
          ...hidden,
        }],
        ["rg_search", { pattern: "access_", directory: path, ...hidden }],
      ] as const
    ),
    // Some keep their home folder in a repository
    ["git_grep", { pattern: "access_", untracked: true }],
    ["git_add", { all: true }],
    ["git_add", { path: ["."] }],
    ["git_add", { path: [folder] }],
    ["git_diff", { staged: true }],
    ["git_grep", { pattern: "access_", cached: true }],
  ];
  const init = ["init", "--quiet", home.path];
  assert.equal((await new Deno.Command("git", { args: init }).output()).success, true);
  const configs = ["files", "coreutils", "ripgrep", "jq", "git"];
  await using agent = await connect([...configs, "--classic"], { cwd: home.path });
  await Deno.writeTextFile(join(home.path, "seen.json"), '{"access_": 1}');
  assert.match((await agent.call("rg_search", { pattern: "access_" })).text, /seen\.json/);
  for (const [tool, args] of calls) {
    const { text, isError } = await agent.call(tool, args);
    const what = `${tool} ${JSON.stringify(args)}: ${isError} ${text}`;
    assert.equal(server.hasToken(text), false, what);
    assert.equal(/Unknown tool|Unknown argument|Missing required/.test(text), false, what);
  }
});
