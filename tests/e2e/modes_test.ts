/** The two modes (user stories 3 and 4), and that every way in gives the same text (SC-004). */

import assert from "node:assert/strict";
import { climax } from "../cli/commands/_climax.ts";
import { connect } from "./_clients.ts";
import { fixture } from "./_server.ts";

const config = fixture("probe.yaml");

/** A call, with whether it comes to an error. */
const calls: [tool: string, args: Record<string, unknown>, isError: boolean][] = [
  ["probe_args", { text: "a b", count: "7", dry_run: true }, false],
  ["probe_warn", {}, false],
  ["probe_nothing", {}, false],
  ["probe_bytes", {}, false],
  ["probe_stdin", { text: "x" }, false],
  ["probe_fail", { code: 3 }, true],
  ["probe_required", {}, true],
  ["probe_args", { count: "hello", format: "xml" }, true],
  ["probe_cwd", { directory: "/no/such/directory" }, true],
];

/** On Windows, the code page of this process's console need not be that of another process. */
function inAscii(text: string): string {
  return Deno.build.os === "windows" ? text.replaceAll(/[^ -~\s]|\xa0/g, "?") : text;
}

Deno.test("climax_call, classic mode and climax call give the same text", async () => {
  await using discovery = await connect([config]);
  await using classic = await connect([config, "--classic"]);
  for (const [tool_name, args, isError] of calls) {
    const expected = await discovery.call("climax_call", { tool_name, args });
    assert.equal(expected.isError, isError, expected.text);
    assert.deepEqual(await classic.call(tool_name, args), expected);

    const words = ["call", tool_name, "--config", config, "--args", JSON.stringify(args)];
    const { code, stdout } = await climax(words);
    const whole = [expected.text, ...expected.beside ?? []].join("\n\n");
    assert.equal(inAscii(stdout), `${inAscii(whole)}\n`);
    assert.equal(code, isError ? 1 : 0);
  }
});
