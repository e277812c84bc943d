import assert from "node:assert/strict";
import { join } from "node:path";
import { withVariables } from "../_io.ts";
import { filesBelow, root } from "../_fixtures.ts";
import { commands } from "../../src/cli/commands.ts";
import { climax, setReadElsewhere } from "../../src/process/own_command.ts";

Deno.test("climax() is the launcher as it was typed, and quotes it", () => {
  const isWindows = Deno.build.os === "windows";
  const quoted = isWindows ? '"/my clone/climax"' : "'/my clone/climax'";
  for (const [typed, name] of [["./climax", "./climax"], ["/my clone/climax", quoted]] as const) {
    using _set = withVariables({ CLIMAX_LAUNCHER: typed });
    assert.equal(climax(), name);
  }
});

Deno.test("climax() is no path of one folder where a text is read elsewhere", () => {
  using _set = withVariables({ CLIMAX_LAUNCHER: "./climax" });
  setReadElsewhere(true);
  try {
    assert.notEqual(climax(), "./climax");
  } finally {
    setReadElsewhere(false);
  }
});

Deno.test("texts name commands by climax(), which works where they are read", () => {
  const names = [...commands.keys()].map((name) => name.split(" ")[0]).join("|");
  // A whole text of two words names a client in the audit log, and a script begins with a mark
  const literal = new RegExp(
    `(?<![\\w./*-]|[*] |A )climax(?: |", ?")(?:--\\w|(?:${names}|CONFIG|COMMAND)\\b)`,
    "g",
  );
  for (const file of filesBelow("src").filter((each) => each.endsWith("s"))) {
    const text = Deno.readTextFileSync(join(root, file));
    const comments = /\/\*\*[^]*?\*\/|^\s*\/\/.*$/gm;
    const code = text.replace(comments, "").replace(/"climax \w+"/g, "");
    const found = [...code.matchAll(literal)].map(([words]) => `${file}: ${words}`);
    assert.deepEqual(found, []);
  }
});
