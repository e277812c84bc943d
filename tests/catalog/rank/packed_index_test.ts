/** An index that a build packed is the one that a start would make. */

import assert from "node:assert/strict";
import { packIndex } from "../../../build/_search_index.ts";
import { buildIndex } from "../../../src/catalog/rank/_catalogue_index.ts";
import { defaultParameters } from "../../../src/catalog/rank/_parameters.ts";
import { unpackIndex } from "../../../src/catalog/rank/packed_index.ts";
import { toDocument } from "../../../src/catalog/tool_index.ts";
import { argOf, toolOf } from "../../_tools.ts";

Deno.test("unpackIndex() returns the index that was packed under the same key", () => {
  const documents = [
    toolOf("git_log", { description: "Show the history", effect: "write", args: [argOf("count")] }),
    toolOf("files_read", { description: "Read a file – ü", effect: "read" }),
  ].map(toDocument);
  const building = buildIndex(documents, defaultParameters);
  let step = building.next();
  while (!step.done) step = building.next();
  for (const key of ["key", "another – ü", ""]) {
    const bytes = packIndex(documents, key);
    const { index, synonyms } = unpackIndex(bytes, key)!;
    assert.deepEqual(index, step.value);
    assert.equal(synonyms !== undefined, true);
    for (const other of ["kez", "ke", "key2"]) assert.equal(unpackIndex(bytes, other), undefined);
  }
});
