import assert from "node:assert/strict";
import { withVariables } from "../_io.ts";
import { commands } from "../../src/cli/commands.ts";
import { asTyped, fromAnywhere } from "../../src/cli/messages.ts";

/** Runs `use` as if the launcher had been typed as `typed`. */
function withLauncher<T>(typed: string, use: () => T): T {
  using _set = withVariables({ CLIMAX_LAUNCHER: typed });
  return use();
}

Deno.test("asTyped() knows every command", () => {
  withLauncher("./climax", () => {
    for (const name of commands.keys()) {
      assert.equal(asTyped(`Try: climax ${name} x`), `Try: ./climax ${name} x`);
    }
  });
});

Deno.test("asTyped() leaves the name of the product, of other files, and texts elsewhere", () => {
  const texts = [
    "Set it where climax is started",
    "/opt/climax call",
    "my-climax run",
    "climax.mjs",
  ];
  for (const text of texts) assert.equal(withLauncher("./climax", () => asTyped(text)), text);
  assert.equal(asTyped("climax list"), "climax list");
});

Deno.test("asTyped() quotes a name with white space", () => {
  assert.equal(
    withLauncher("/my clone/climax", () => asTyped("climax list")),
    Deno.build.os === "windows" ? '"/my clone/climax" list' : "'/my clone/climax' list",
  );
});

Deno.test("fromAnywhere() leaves a script as it is where climax is on PATH", () => {
  const script = "words=$(climax completions -- x)";
  assert.equal(fromAnywhere(script), script);
  assert.equal(withLauncher("climax", () => fromAnywhere(script)), script);
});
