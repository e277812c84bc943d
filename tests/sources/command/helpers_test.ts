/** A helper is passed as the text that comes with climax, starts in the folder of its tool, and is shown by its name. */

import assert from "node:assert/strict";
import { type CommandPlan, commandRunner } from "../../../src/sources/command/runner.ts";
import { helperText } from "../../../src/sources/command/bundled.ts";
import { loadConfigs } from "../../../src/sources/command/load.ts";
import type { Executor } from "../../../src/exec/executor.ts";
import { programs } from "../../_requirements.ts";

const { test } = await programs({ perl: ["-v"] });

const executors: readonly (readonly [Executor, string | undefined, string])[] = [
  [{ kind: "local" }, undefined, "perl -e <files_write.pl> --"],
  [{ kind: "docker", image: "i", volumes: [] }, undefined, "i perl -e <files_write.pl> --"],
];

test("a tool with a helper starts in its own folder, and passes the directory of the call", async () => {
  const { tools } = await loadConfigs(["files-write"], () => undefined);
  const tool = tools.find(({ name }) => name === "files_remove")!;
  const values = new Map<string, string | string[]>([["path", ["b.txt"]], ["directory", "a"]]);
  for (const [executor, cwd, words] of executors) {
    const plan = await commandRunner({ executor }).prepare(tool, values) as CommandPlan;
    assert.equal(plan.invocation.cwd, cwd);
    const shown = plan.preview.record["argv"] as readonly string[];
    assert.ok(shown.join(" ").endsWith(`${words} remove --directory=a = b.txt`), shown.join(" "));
    assert.ok(!shown.includes("-w"));
    assert.ok(plan.invocation.argv.includes(helperText("files_write.pl")));
  }
});

test("the helper is a program as it stands, before names are put in", async () => {
  const { stderr, success } = await new Deno.Command("perl", {
    args: ["-c", "configs/helpers/files_write.pl"],
    cwd: new URL("../../../", import.meta.url),
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
});
