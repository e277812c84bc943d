/** The browser of the user is started with the address, and not waited for. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { openBrowser } from "../../src/exec/open_browser.ts";
import { withVariables } from "../_io.ts";
import { linux } from "../_requirements.ts";
import { textIn, until } from "../_wait.ts";
import { scratch, writeProgram } from "../e2e/_scratch.ts";

linux.test("openBrowser() starts xdg-open with the address, and says where there is none", async () => {
  await using dir = await scratch();
  const [program, said] = ["xdg-open", "said"].map((name) => join(dir.path, name));
  using _ = withVariables({ PATH: dir.path });
  const address = "http://127.0.0.1:1/?a=b&c='d'";
  assert.equal(openBrowser(address), false);
  const script = `#!/bin/sh\necho "$# $1" > ${said}.new\n/bin/mv ${said}.new ${said}\n`;
  writeProgram(program!, script);
  assert.equal(openBrowser(address), true);
  assert.equal(await until(() => textIn(said!), "its words"), `1 ${address}`);
  // It is found, and the system cannot start it
  await Deno.writeTextFile(program!, "#!/no/such/interpreter\n");
  assert.equal(openBrowser(address), false);
});
