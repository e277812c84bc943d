/** Outputs in pages of one file: none reads another, and what was let go of is gone. */

import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { PagedFile, type Slot } from "../../src/jobs/_paged_file.ts";
import { scratch } from "../e2e/_scratch.ts";

const page = 4096;

function emptySlot(): Slot {
  return { pages: [], bytes: 0 };
}

async function withFile(use: (paged: PagedFile, content: () => Uint8Array) => void): Promise<void> {
  await using dir = await scratch();
  const path = join(dir.path, "file");
  const file = Deno.openSync(path, { read: true, write: true, createNew: true });
  const paged = new PagedFile(file);
  use(paged, () => Deno.readFileSync(path));
  paged.close();
  assert.equal(Deno.statSync(path).size, 0);
}

/** Writes of so many bytes into one of four outputs, or its end. */
const steps = fc.array(
  fc.record({ of: fc.nat(3), bytes: fc.option(fc.nat(3 * page), { nil: undefined, freq: 3 }) }),
  { maxLength: 30 },
);

Deno.test("PagedFile gives each output back, and has nothing of those that are cleared", async () => {
  await withFile((paged, content) => {
    fc.assert(
      fc.property(steps, (taken) => {
        const slots = Array.from({ length: 4 }, emptySlot);
        const model: number[][] = [[], [], [], []];
        let most = 0;
        taken.forEach(({ of, bytes }, step) => {
          if (bytes === undefined) {
            paged.clear(slots[of]!);
            model[of] = [];
          } else {
            // No two writes have the same byte, and none is 0
            const value = step + 1;
            assert.equal(paged.write(slots[of]!, new Uint8Array(bytes).fill(value)).length, 0);
            for (let each = 0; each < bytes; each++) model[of]!.push(value);
          }
          slots.forEach((slot, at) => {
            assert.deepEqual(paged.read(slot), Uint8Array.from(model[at]!));
          });
          const pages = slots.reduce((sum, { bytes }) => sum + Math.ceil(bytes / page), 0);
          most = Math.max(most, pages);
          const there = content();
          assert.ok(there.length <= most * page);
          assert.ok(pages > 0 || there.length === 0);
          const alive = new Set(model.flat());
          assert.deepEqual(
            [...new Set(there)].filter((byte) => byte !== 0 && !alive.has(byte)),
            [],
          );
        });
        for (const slot of slots) paged.clear(slot);
      }),
      { numRuns: 60 },
    );
  });
});

Deno.test("PagedFile takes pages again before it grows", async () => {
  await withFile((paged, content) => {
    const [first, second, third] = [emptySlot(), emptySlot(), emptySlot()];
    paged.write(first, new Uint8Array(3 * page).fill(1));
    paged.write(second, new Uint8Array(page).fill(2));
    paged.clear(first);
    assert.equal(content().length, 4 * page);
    paged.write(third, new Uint8Array(3 * page).fill(3));
    assert.equal(content().length, 4 * page);
    paged.clear(second);
    assert.equal(content().length, 3 * page);
  });
});
