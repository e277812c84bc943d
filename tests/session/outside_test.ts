/** Which tools ask under `confirm: outside`, by what they say of themselves and what holds them. */

import assert from "node:assert/strict";
import type { Executor } from "../../src/exec/executor.ts";
import { withOutside } from "../../src/session/sources.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { argOf, sourceOf, toolOf } from "../_tools.ts";

const cwd = await Deno.realPath(".");
const box = { write: [cwd], read: ["/"], hide: [], network: "none" } as const;
const inBox: Executor = { kind: "local", sandbox: box };
const online: Executor = { kind: "local", sandbox: { ...box, network: "host" } };
const wide: Executor = { kind: "local", sandbox: { ...box, write: [cwd, "/var/tmp"] } };
const bare: Executor = { kind: "local" };
const docker: Executor = { kind: "docker", image: "i", volumes: [], network: "none" };

const effects = {
  read: { effect: "read" },
  write: { effect: "write" },
  worst: { effect: "destructive" },
} as const;
const { read, write, worst } = effects;
const open = { annotations: { openWorldHint: true } };
const code = { ...worst, requires: "sandbox" } as const;
const url = { args: [argOf("url", { text: "url" })] };
const server = { source: { kind: "upstream" } };

type Row = readonly [
  about: string,
  tool: Partial<Tool>,
  executor: Executor,
  asks: Tool["needsConsent"],
];

const rows: readonly Row[] = [
  ["what reads", read, bare, false],
  ["what reads beyond this machine", { ...read, ...open }, inBox, true],
  ["what reads at a URL", { ...read, ...open, ...url }, inBox, "outside"],
  ["an unknown effect", {}, inBox, true],
  ["what writes, in a sandbox", write, inBox, false],
  ["what writes, in none", write, bare, true],
  ["what writes, in a container", write, docker, true],
  ["what writes beside the folder", write, wide, true],
  ["what writes, with a network", write, online, true],
  ["what writes beyond this machine", { ...write, ...open, ...url }, inBox, true],
  ["what destroys", worst, inBox, true],
  ["what destroys by an argument", { ...worst, plainEffect: "write" }, inBox, "outside"],
  ["what destroys what git may have", { ...worst, loses: "files" }, inBox, "outside"],
  ["what git may have, in no sandbox", { ...worst, loses: "files" }, bare, true],
  ["code of the project, in a sandbox", code, inBox, false],
  ["code of the project, in none", code, bare, true],
  ["code of the project, with a network", code, online, true],
  ["a server's tool that reads", { ...read, ...server }, bare, false],
  ["a server's tool that reads elsewhere", { ...read, ...open, ...server }, bare, true],
  ["a server's tool that writes", { ...write, ...server }, inBox, true],
  ["a server's tool that says nothing", server, inBox, true],
];

for (const [about, tool, executor, asks] of rows) {
  Deno.test(`under confirm: outside, ${about}: ${asks}`, () => {
    const given = toolOf("t", { source: sourceOf(["true"]), needsConsent: "outside", ...tool });
    const { needsConsent, consentReason } = withOutside(given, executor);
    assert.deepEqual([needsConsent, consentReason !== undefined], [asks, asks !== false]);
  });
}

Deno.test("a rule's own confirm decides instead of what is outside", () => {
  for (const needsConsent of [true, false]) {
    assert.equal(withOutside(toolOf("t", { needsConsent }), inBox).needsConsent, needsConsent);
  }
});
