/** Which policy holds for whom. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { readClients } from "../../../src/server/http/client.ts";
import { scratch } from "../../e2e/_scratch.ts";

Deno.test("readClients() sees paths from the file, and takes policies by name", async () => {
  await using dir = await scratch();
  const path = join(dir.path, "clients.yaml");
  await Deno.writeTextFile(
    path,
    'clients: { ada: all.yaml }\nscopes: { "a:b": git-readonly }\ndefault: readonly\n',
  );
  const clients = await readClients(path);
  assert.deepEqual(clients.policies, [join(dir.path, "all.yaml"), "git-readonly", "readonly"]);
  const of = (name: string, ...scopes: string[]) => clients.policyFor({ name, scopes });
  assert.deepEqual(
    [of("ada", "a:b"), of("bob", "c", "a:b"), of("eve")],
    [join(dir.path, "all.yaml"), "git-readonly", "readonly"],
  );
});
