/**
 * The texts of the bundled configs as an agent that wants out sends them: with control characters, line
 * breaks and blanks where a program may read another value than a check does. Every argument, over MCP.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { bundledConfigs } from "../../../src/sources/command/bundled.ts";
import { loadConfigs } from "../../../src/sources/command/load.ts";
import type { Arg, Tool } from "../../../src/tool/tool.ts";
import { connect } from "../../e2e/_clients.ts";
import { scratch } from "../../e2e/_scratch.ts";

/** Arguments of texts that agents choose, by their tool and name. */
async function textArgs(): Promise<readonly (readonly [tool: Tool, arg: Arg])[]> {
  const { tools } = await loadConfigs([...bundledConfigs.keys()], () => "set");
  return tools.flatMap((tool) => tool.args.map((arg) => [tool, arg] as const))
    .filter(([, arg]) => arg.text !== undefined && arg.fixed === undefined)
    .filter(([, { enum: words, list }]) => words === undefined && list?.enum === undefined);
}

Deno.test("no text of a bundled config takes a control character that it need not", async () => {
  await using place = await scratch();
  // Tools that run code of a project are served where each call asks a person
  const policy = join(place.path, "policy.yaml");
  await Deno.writeTextFile(policy, "default: enabled\nconfirm: write\n");
  const configs = [...bundledConfigs.keys()];
  await using client = await connect([...configs, "--policy", policy], { cwd: place.path });
  const rows = await textArgs();
  assert.ok(rows.length > 300, String(rows.length));
  const refused = async ({ name: tool_name }: Tool, { name, list }: Arg, text: string) => {
    const args = { [name]: list === undefined ? text : [text] };
    const answer = (await client.call("climax_call", { tool_name, args })).text;
    const code = text.codePointAt(1)!.toString(16).toUpperCase().padStart(4, "0");
    const place = list === undefined ? "" : "item 1, ";
    const start = `  - Argument '${name}': ${place}'`;
    const line = answer.split("\n").find((each) => each.startsWith(start));
    assert.match(
      line ?? answer,
      new RegExp(`contains U\\+${code} and must be `),
      `${tool_name} ${name}`,
    );
  };
  for (const [tool, arg] of rows) {
    if (arg.text === "any") continue;
    const never = ["x\x01y", "x\x1b[2Jy", "x\x7f", "x\x85", "x\r"];
    for (const text of never.slice(0, arg.name === "directory" ? 1 : never.length)) {
      await refused(tool, arg, text);
    }
    if (arg.text !== "multiline" && arg.text !== "json") await refused(tool, arg, "x\ny");
    if (arg.text === "url") await refused(tool, arg, "x y");
  }
});

Deno.test("the URLs and the data of the bundled configs are these", async () => {
  const rows = await textArgs();
  const named = (rule: string) => {
    return rows.filter(([, { text }]) => text === rule).map(([{ name }, arg]) =>
      `${name}.${arg.name}`
    ).toSorted();
  };
  assert.deepEqual(named("any"), [
    "cut.text",
    "git_apply.patch",
    "sort.text",
    "tr.text",
    "uniq.text",
  ]);
  assert.deepEqual(named("url"), [
    ...["curl_get.url", "curl_head.url", "curl_json.url", "curl_range.url", "curl_status.url"],
    ...["git_clone.url", "git_fetch.remote", "git_pull.remote", "git_push.remote"],
    ...["git_remote_add.url"],
  ]);
});

Deno.test("what a bundled tool makes has the name that its caller gave", async () => {
  const { tools } = await loadConfigs([...bundledConfigs.keys()], () => "set");
  const makes = /^(?:git_clone|pandoc_write|obsidian_create|ffmpeg_(?!.*(?:detect|codecs)).*)$/;
  const names = tools.filter(({ name }) => makes.test(name)).map(({ name, args }) => {
    const made = args.find((arg) => ["path", "output"].includes(arg.name));
    assert.equal(made?.required, true, name);
    assert.ok(made.limits?.within ?? made.limits?.pattern, name);
    return name;
  });
  assert.equal(names.length, 17);
});
