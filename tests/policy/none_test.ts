/** What asks a person where no policy is given, and that `open` asks about nothing. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { noPolicy, withoutPolicy } from "../../src/policy/policy_file.ts";
import { classicSurface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import { scratch } from "../e2e/_scratch.ts";
import { sessionOf } from "../_session.ts";
import { toolOf } from "../_tools.ts";
import { joinClient } from "../server/_serving.ts";
import { unix } from "../_requirements.ts";

const rows: readonly (readonly [what: string, tool: object, asks: boolean])[] = [
  ["a declared write", { effect: "write" }, true],
  ["a declared destructive one", { effect: "destructive" }, true],
  ["a declared read", { effect: "read" }, false],
  ["nothing declared", {}, false],
  ["a server's readOnlyHint false", { annotations: { readOnlyHint: false } }, true],
  ["a server's readOnlyHint true", { annotations: { readOnlyHint: true } }, false],
  ["a server's title alone", { annotations: { title: "Drop all" } }, false],
  ["a tool whose calls ask themselves", { effect: "destructive", needsConsent: false }, false],
];

Deno.test("without a policy a tool asks if it declares that it writes", () => {
  for (const [what, tool, asks] of rows) {
    const { needsConsent = false, rule } = withoutPolicy(toolOf("a", tool));
    assert.deepEqual([needsConsent, rule], [asks, asks ? noPolicy : undefined], what);
  }
});

const tools = ["read", "write", "destructive", "unknown"].map((name) => ({
  name,
  command: "sh -c",
  argv: [`echo ${name} >> ran`],
  ...(name === "unknown" ? {} : { effect: name }),
}));

const form = { elicitation: { form: {} } };
const all = tools.map(({ name }) => name);
const free = ["read", "unknown"];

unix.test("each client is asked about what writes, or denied it, in both modes", async () => {
  for (const mode of ["classic", "discovery"] as const) {
    for (
      const [policy, capabilities, says, ran, asked] of [
        [undefined, form, true, all, ["write", "destructive"]],
        [undefined, form, false, free, ["write", "destructive"]],
        [undefined, {}, true, free, []],
        ["open", {}, true, all, []],
        ["ask", form, true, all, ["write", "destructive", "unknown"]],
      ] as const
    ) {
      await using dir = await scratch();
      await using session = await sessionOf({ working_dir: dir.path, tools }, { policy });
      const surface = mode === "classic" ? classicSurface : discoverySurface;
      await using joined = await joinClient(surface(session), "legacy", {}, capabilities);
      const questions: string[] = [];
      if (capabilities === form) {
        joined.client.setRequestHandler("elicitation/create", ({ params }) => {
          questions.push(/call (\w+) /.exec(params.message)![1]!);
          return { action: "accept", content: { run: says } };
        });
      }
      const texts: string[] = [];
      for (const name of all) {
        const params = mode === "classic" ? { name } : {
          name: "climax_call",
          arguments: { tool_name: name, args: {} },
        };
        const result = await joined.client.callTool(params);
        texts.push((result.content as { text: string }[])[0]!.text);
      }
      const seen = await Deno.readTextFile(join(dir.path, "ran"));
      assert.deepEqual(seen.trim().split("\n"), ran, `${mode} ${policy}`);
      assert.deepEqual(questions, asked);
      if (capabilities !== form && policy === undefined) {
        assert.match(texts[1]!, /^Call refused: .*confirmation.*\n.*--policy open/);
      }
    }
  }
});
