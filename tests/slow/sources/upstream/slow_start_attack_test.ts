/** A program that takes longer to start than its answer to the probe of 2026-07-28 is waited for. Takes seconds. */

import assert from "node:assert/strict";
import {
  UpstreamServer,
  type UpstreamServerOptions,
} from "../../../../src/sources/upstream/server.ts";
import { modern, odd, type ServerSketch, specOf } from "../../../_upstream.ts";

const environment = (name: string) => Deno.env.get(name);

/** What a program that starts slowly lists, and how often it was started for that. */
async function listSlowly(
  { command, args, ...rest }: ServerSketch,
  options: Partial<UpstreamServerOptions> = {},
) {
  const log = await Deno.makeTempFile();
  const started = 'echo >> "$1"; shift; sleep 6; exec "$@"';
  const words = ["-c", started, "sh", log, command as string, ...args as string[]];
  const slow = { ...rest, command: "sh", args: words };
  const server = new UpstreamServer(specOf(slow), { environment, ...options });
  const { definitions, prior } = await server.list();
  await server.close();
  const { size: starts } = await Deno.stat(log);
  await Deno.remove(log);
  return { tool: definitions[0]!.name, prior, starts };
}

const protocols = [
  ["speaks the protocol of 2026-07-28 alone", modern("slow", "only"), "modern", "greet", 2],
  ["speaks both protocols", modern("slow"), "legacy", "greet", 1],
  ["is old and exits at an unknown request", odd("slow", "dies-when-asked"), "legacy", "echo", 2],
] as const;

for (const [what, sketch, kind, tool, starts] of protocols) {
  Deno.test({
    name: `UpstreamServer connects to a program that starts slowly and ${what}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const first = await listSlowly(sketch);
      assert.deepEqual([first.tool, first.prior?.kind, first.starts], [tool, kind, starts]);
      if (kind === "legacy") return;
      // The protocol is known now
      const next = await listSlowly(sketch, { prior: first.prior });
      assert.deepEqual([next.prior?.kind, next.starts], [kind, 1]);
    },
  });
}
