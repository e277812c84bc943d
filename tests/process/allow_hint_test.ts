import assert from "node:assert/strict";
import { climaxProcess, ends } from "../cli/commands/_climax.ts";
import { allowHint } from "../../src/process/permissions.ts";
import { linux } from "../_requirements.ts";

Deno.test("allowHint() names the flags", () => {
  const hint = allowHint("a.log", "--allow-write", "--allow-read");
  assert.equal(hint, "Allow it: --allow-write=a.log --allow-read=a.log");
});

linux.test("what Deno opens for nobody is said where a log or a file is asked for", async () => {
  const hint = "  hint: Files in /dev, /proc and /sys are not opened: name another file\n";
  const rows: readonly [args: string[], env: Record<string, string>, said: string][] = [
    [
      ["call", "git_version", "--audit", "/dev/stderr"],
      {},
      "/dev/stderr: Audit log cannot be opened: this program may not write the file\n",
    ],
    [
      ["run", "git"],
      { CLIMAX_LOG_FILE: "/dev/stderr" },
      "CLIMAX_LOG_FILE: '/dev/stderr' cannot be opened: this program may not write the file\n",
    ],
    [["list", "/dev/stdin"], {}, "/dev/stdin: This program may not read the file\n"],
  ];
  for (const [args, env, said] of rows) {
    const { stderr } = await ends(climaxProcess(args, { env }), { code: 3 });
    assert.ok(stderr.startsWith(`error: ${said}${hint}`), stderr);
  }
});
