/** The page of `climax ui` in Chromium, by the tests of `deno task ui-test`, which need all permissions. */

import assert from "node:assert/strict";
import { outputOf, programs } from "../_requirements.ts";

const chromium = Deno.env.get("CHROMIUM") ?? "chromium";

(await programs({ [chromium]: ["--version"] })).test(
  "the page works in a real browser",
  async () => {
    const files = Array.from(Deno.readDirSync("bench"), ({ name }) => `bench/${name}`)
      .filter((file) => /ui\w*_test\.ts$/.test(file));
    assert.equal(files.length > 3, true);
    const output = await outputOf(Deno.execPath(), ["test", "--no-check", "--allow-all", ...files]);
    assert.equal(output?.success, true, new TextDecoder().decode(output?.stdout));
  },
);
