import assert from "node:assert/strict";
import { join } from "node:path";
import { withRequest } from "../../src/exec/sandbox_request.ts";
import { withVariables } from "../_io.ts";
import { unix } from "../_requirements.ts";
import { exists, scratch } from "../e2e/_scratch.ts";

unix.test("withRequest() makes a cache that is missing in the home folder, and nothing behind a link", async () => {
  await using dir = await scratch();
  const [home, other] = [join(dir.path, "home"), join(dir.path, "other")];
  for (const folder of [home, other]) await Deno.mkdir(folder);
  await Deno.symlink(other, join(home, ".led"));
  using _ = withVariables({ HOME: home });
  const of = (path: string, makes: boolean) => {
    const sandbox = { write: [], read: ["/"], hide: [], network: "none" } as const;
    return withRequest({ ...sandbox, unsetKeys: ["write"] }, { write: [path] }, home, makes).write;
  };
  const cache = join(home, ".npm/_cacache");
  assert.deepEqual([of(cache, false), of(cache, true)], [[], [cache]]);
  for (const path of [join(home, ".led/cache"), join(other, "cache")]) {
    assert.deepEqual(of(path, true), []);
    assert.equal(await exists(path), false);
  }
});
