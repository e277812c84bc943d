/** What a model is given of the outputs of its tools. */

import assert from "node:assert/strict";
import { ToolIndex } from "../../src/catalog/tool_index.ts";
import { maskSecrets } from "../../src/net/send_once.ts";
import { maxOutputLength } from "../../src/agents/request.ts";
import { Workbench } from "../../src/agents/workbench.ts";
import { textResult } from "../../src/tool/result.ts";
import { plantedKey } from "./_agents.ts";
import { toolOf } from "../_tools.ts";

Deno.test("a key that lies where an output is cut is not shown in part", async () => {
  for (let shown = 1; shown < plantedKey.length; shown++) {
    const border = maxOutputLength / 2 - shown;
    const output = `${".".repeat(border)}${plantedKey}${".".repeat(maxOutputLength)}`;
    const bench = new Workbench({
      index: new ToolIndex([toolOf("print")]),
      call: () => Promise.resolve(textResult(output)),
      mark: "mark",
      redact: (text) => maskSecrets(text, [plantedKey]),
      onCall: () => {},
    });
    const { print } = bench.toolSet();
    const options = { toolCallId: "1", messages: [], context: undefined };
    const text = String(await print!.execute!({}, options as never));
    assert.match(text, /characters left out/);
    assert.doesNotMatch(text, /\.s|sk|plant|\d\.\./);
  }
});
