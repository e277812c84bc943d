/** The page of `climax ui` in Chromium, by the tests of `deno task ui-test`, which need all permissions. */

import assert from "node:assert/strict";
import { outputOf, programs } from "../_requirements.ts";

const chromium = Deno.env.get("CHROMIUM") ?? "chromium";

(await programs({ [chromium]: ["--version"] })).test(
  "the page works in a real browser",
  async () => {
    const files = ["", "_form", "_layout", "_result"].map((name) => `bench/ui${name}_test.ts`);
    const output = await outputOf(Deno.execPath(), ["test", "--no-check", "--allow-all", ...files]);
    assert.equal(output?.success, true, new TextDecoder().decode(output?.stdout));
  },
);
