/** Real servers over HTTP that are ended and started again on the same port. */

import { join } from "node:path";
import { freePort } from "../../_free_port.ts";
import { fixturePath, root } from "../../_fixtures.ts";

/** The process of `fixtures/upstream/http_server.ts`, once it listens. */
export async function httpServer(era: string, version: string, port = freePort()) {
  const script = fixturePath("upstream", "http_server.ts");
  const flags = ["--quiet", "--no-check", "--allow-all", "--config", join(root, "deno.json")];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, script, String(port), era, version],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const listening = Number(new TextDecoder().decode(value));
  return {
    port: listening,
    url: `http://127.0.0.1:${listening}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
    },
  };
}
