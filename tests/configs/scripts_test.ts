/** The example scripts over bundled configs: each does as recorded, with calls that the configs still take. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { prepareCall } from "../../src/call/prepare.ts";
import { refusalText } from "../../src/call/refusal.ts";
import { openSession } from "../../src/session/session.ts";
import { readRecording } from "../../src/sources/scripts/recording.ts";
import { climax } from "../cli/commands/_climax.ts";
import { root } from "../_fixtures.ts";

const folder = join(root, "configs", "scripts");
const scripts = [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();

function recordingOf(script: string): string {
  return join(root, "tests", "fixtures", "scripts", script.replace(/\.js$/, ".recording.json"));
}

Deno.test("there are five example scripts", () => {
  assert.equal(scripts.length, 5);
});

for (const script of scripts) {
  Deno.test(`configs/scripts/${script} does as recorded, without any program`, async () => {
    const file = join(folder, script);
    const { code, stdout } = await climax([
      "script",
      "test",
      file,
      "--replay",
      recordingOf(script),
    ]);
    assert.equal(stdout, `${file}: as recorded\n`);
    assert.equal(code, 0);
  });

  Deno.test(`configs/scripts/${script} makes calls that read, and that its configs take`, async () => {
    const text = await Deno.readTextFile(join(folder, script));
    const configs = /^\/\/ Configs?: ([a-z, ]+)\./m.exec(text)![1]!.split(", ");
    await using session = await openSession({ configs, preparesCalls: false });
    for (const { request } of (await readRecording(recordingOf(script))).answers) {
      const [name, args] = [String(request["name"]), request["args"]];
      assert.equal(session.index.get(name)?.effect, "read", name);
      const prepared = await prepareCall(session, { tool: name, args, refusesUnknown: true });
      assert.ok(prepared.ok, prepared.ok ? "" : refusalText(prepared));
    }
  });
}
