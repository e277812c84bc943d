/** Questions at the terminal. */

import assert from "node:assert/strict";
import { main } from "../../src/cli/main.ts";
import { ioOf } from "../_io.ts";
import { within } from "../_wait.ts";
import { environment } from "../e2e/_server.ts";
import { scratch } from "../e2e/_scratch.ts";

Deno.test("Ctrl-C at a question ends the call, which has not run", async () => {
  await using dir = await scratch();
  let said = "";
  const listeners = new Set<() => void>();
  const io = ioOf({
    cwd: dir.path,
    env: environment({ TERM: "xterm" }),
    stdin: "",
    terminal: { columns: 80, streams: ["stdin", "stdout", "stderr"] },
    write(bytes) {
      said += new TextDecoder().decode(bytes);
      if (said.endsWith("Run it? [y/N]\n")) listeners.forEach((each) => each());
    },
  });
  const ended = main(["call", "git_init", "path=new", "--policy", "ask"], {
    ...io,
    // The person types nothing
    stdin: { ...io.stdin, read: () => new Promise<never>(() => {}) },
    addSignalListener: (signal, listener) => void (signal === "SIGINT" && listeners.add(listener)),
    removeSignalListener: (_signal, listener) => void listeners.delete(listener),
  });
  assert.equal(await within(ended, "the end of the call"), 130);
  assert.match(said, /Call refused: the person closed the question without an answer\n$/);
  assert.deepEqual([...Deno.readDirSync(dir.path)], []);
});
