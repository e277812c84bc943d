/**
 * The bundled coreutils, docker and claude configs as an agent that wants out uses them, without a
 * policy. docker and claude are recording programs here: what they would be given is what counts.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { whyNot } from "../../configs/_programs.ts";
import { connect, textsOf } from "../../e2e/_clients.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { testsUnless } from "../../_requirements.ts";

const here = testsUnless(Deno.build.os === "windows" || await whyNot("ls") !== undefined);

const recorder = `#!/bin/sh\necho "$0 $*"\nenv\n`;

type Move = (tool: string, args?: Record<string, unknown>) => Promise<string>;

/** An agent in `work`, beside which lies a secret; `docker` and `claude` say what they were given. */
async function withAgent(use: (move: Move, place: string) => Promise<void>): Promise<void> {
  await using dir = await scratch({ secret: "hunter2", "work/file": "plain" });
  const work = join(dir.path, "work");
  await Deno.mkdir(join(dir.path, "bin"), { recursive: true });
  await Deno.mkdir(join(work, "sub"), { recursive: true });
  await Deno.symlink("../secret", join(work, "link"));
  await Deno.symlink("/proc/self", join(work, "proc"));
  for (const name of ["docker", "claude"]) {
    await Deno.writeTextFile(join(dir.path, "bin", name), recorder, { mode: 0o755 });
  }
  const env = { PATH: `${join(dir.path, "bin")}:${Deno.env.get("PATH")}`, API_TOKEN: "hunter2" };
  await using client = await connect(["coreutils", "docker", "docker-compose", "claude"], {
    cwd: work,
    env,
  });
  await use(textsOf(client), dir.path);
}

const held =
  /never allowed|lies outside|does not match|is not allowed: expected|cannot be resolved|must be one of/;

here.test("an agent cannot read outside the server's directory with coreutils", () =>
  withAgent(async (move, place) => {
    const paths = [
      "../secret",
      join(place, "secret"),
      "link",
      "sub/../../secret",
      "/etc/passwd",
      "/proc/self/environ",
      "/proc/1/environ",
      "proc/environ",
      "/dev/zero",
      "/dev/stdin",
      "/sys/kernel",
    ];
    for (const tool of ["cat", "head", "tail", "wc", "sha256sum", "stat", "ls", "du"]) {
      for (const path of paths) {
        for (const given of [path, [path], ["file", path]]) {
          const text = await move(tool, { path: given });
          assert.equal(text.includes("hunter2"), false, `${tool} ${path}: ${text}`);
          assert.match(
            text,
            /never allowed|lies outside|cannot be resolved|cannot convert|resolve/,
          );
        }
      }
      for (const directory of ["..", place, "/", "/proc/self", "link"]) {
        const text = await move(tool, { directory, path: ["secret"] });
        assert.equal(text.includes("hunter2"), false, `${tool} in ${directory}: ${text}`);
      }
    }
    assert.equal(await move("cat", { path: ["file"] }), "plain");
  }));

here.test("an agent cannot have docker run or mount, or print an environment", () =>
  withAgent(async (move) => {
    for (
      const tool of ["docker_build", "docker_compose_up", "docker_run", "docker_exec", "docker_cp"]
    ) {
      assert.match(await move(tool, {}), /^Unknown tool/);
    }
    for (const format of ["{{json .Config.Env}}", "{{json .}}", "json", "{{.Config}}"]) {
      assert.match(await move("docker_inspect", { name: "x", format }), held, format);
    }
    assert.match(await move("docker_inspect", { name: "x" }), /--format=\{\{json \.State\}\}/);
  }));

here.test("an agent cannot have Claude Code load what a project's files say", () =>
  withAgent(async (move) => {
    for (const tool of ["claude_ask", "claude_plan", "claude_continue", "claude_resume"]) {
      const own = tool === "claude_resume" ? { session_id: "s" } : {};
      const args = { prompt: "x", ...own, directory: "sub" };
      const [line] = (await move(tool, args)).split("\n");
      assert.match(line!, / --setting-sources=user --strict-mcp-config /, tool);
      assert.equal(/--allowed|--permission-mode=(?!plan)|--settings/.test(line!), false, line);
      assert.match(await move(tool, { ...args, directory: ".." }), held, tool);
      assert.match(await move(tool, { ...args, allowed_tools: "Bash" }), /Unknown argument/, tool);
    }
    assert.match(await move("claude_mcp_list"), /^Unknown tool/);
  }));
