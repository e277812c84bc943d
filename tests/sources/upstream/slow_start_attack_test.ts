/** A program that takes longer to start than its answer to the probe of 2026-07-28 is waited for. Takes seconds. */

import assert from "node:assert/strict";
import { UpstreamServer } from "../../../src/sources/upstream/server.ts";
import { modern, odd, type ServerSketch, specOf } from "../../_upstream.ts";

const protocols = [
  ["speaks the protocol of 2026-07-28 alone", modern("slow", "only"), "modern", "greet"],
  ["speaks both protocols", modern("slow"), "legacy", "greet"],
  ["is old and exits at an unknown request", odd("slow", "dies-when-asked"), "legacy", "echo"],
] as const;

for (const [what, { command, args, ...rest }, kind, tool] of protocols) {
  Deno.test({
    name: `UpstreamServer connects to a program that starts slowly and ${what}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const started = 'sleep 6; exec "$0" "$@"';
      const slow = { ...rest, command: "sh", args: ["-c", started, command, ...args as string[]] };
      const server = new UpstreamServer(specOf(slow as ServerSketch), {
        environment: (name) => Deno.env.get(name),
      });
      const { definitions, prior } = await server.list();
      assert.equal(definitions[0]!.name, tool);
      assert.equal(prior?.kind, kind);
      await server.close();
    },
  });
}
