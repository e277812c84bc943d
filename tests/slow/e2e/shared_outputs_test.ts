/** Long results of three instances behind nginx, with a Redis: any of them reads all. */

import assert from "node:assert/strict";
import { type Caller, type Instances, instancesRequirement, startInstances } from "./_instances.ts";
import { plainTool, writeWorks } from "./_works.ts";

interface Settings {
  readonly words?: readonly string[];
  readonly options?: readonly string[];
}

async function start({ words = [], options = [] }: Settings = {}): Promise<Instances> {
  return await startInstances({
    words: ["--max-result-tokens", "2000", ...words],
    options,
    write: async (dir) => [await writeWorks(dir, plainTool)],
  });
}

/** Runs a script with a long output; returns the id by which it is read. */
async function keep(instances: Instances, script: string, who?: Caller): Promise<string> {
  const { text } = await instances.call("plain", { script }, who);
  const [, id] = /output_read \{"id": "(k\w{12})"/.exec(text) ?? [];
  assert.notEqual(id, undefined, text.slice(0, 200) + text.slice(-200));
  return id!;
}

instancesRequirement.test("a long result is read, searched and selected from at any instance, at once and later", async () => {
  await using instances = await start();
  const id = await keep(instances, "seq 300000", { at: 0 });
  // It may still be on its way
  const first = await instances.call("output_read", { id, tail: 2 }, { at: 1 });
  assert.equal(first.text, "299999\n300000\n[lines 299999 to 300000 of 300,000]");
  for (const at of [0, 1, 2]) {
    const page = await instances.call("output_read", { id, from_line: 150_000, lines: 2 }, { at });
    assert.match(page.text, /^150000\n150001\n\[lines 150000 to 150001 of 300,000; next: /);
    const found = await instances.call("output_search", { id, pattern: "^2999.7$" }, { at });
    assert.match(found.text, /^299905- 299905\n299906- 299906\n299907: 299907\n/);
    const bytes = await instances.call("output_read", { id, from_byte: 1_988_888 }, { at });
    assert.match(bytes.text, /^300000\n?\n\[bytes 1988888 to 198889\d of 1,98/);
    const bobs = await instances.call("output_read", { id }, { at, client: "bob" });
    assert.match(bobs.text, /^Output 'k\w{12}' not found: it was never stored, or was evicted/);
  }
  const json = await keep(instances, `jot() { seq -f '{"n":%g}' 20000; }; jot`, { at: 2 });
  for (const at of [0, 1, 2]) {
    const selected = await instances.call("output_json", { id: json, path: "$[77].n" }, { at });
    assert.equal(selected.text, "78\n[1 value]");
  }
});

instancesRequirement.test("the store has no word of a result, a command or a client", async () => {
  await using instances = await start();
  await keep(instances, "seq 20000; echo secret-in-the-output");
  const { text } = await instances.call("back", { script: "echo secret-in-the-job" });
  const [, id] = /"id": "(j\w{12})"/.exec(text)!;
  await instances.call("job_result", { id, wait: 100 }, { at: 1 });
  await instances.call("job_result", { id, wait: 100 }, { at: 2 });
  const found = await instances.redis.ask(
    "EVAL",
    `local count = 0
for _, key in ipairs(redis.call('KEYS', '*')) do
  local dump = redis.call('DUMP', key) or ''
  for _, word in ipairs(ARGV) do
    -- Hashes and sealed bytes have any short word by chance
    if #word > 7 and string.find(key .. dump, word, 1, true) then count = count + 1 end
    for part in string.gmatch(key, '[^:]+') do
      if part == word then count = count + 1 end
    end
  end
end
return count`,
    "0",
    ...["secret-in", "echo secret", '"tool":"', "back", "echo", "ada", "works"],
  );
  assert.equal(found, ":0\r\n");
  assert.notEqual(await instances.redis.ask("DBSIZE"), ":0\r\n");
});
