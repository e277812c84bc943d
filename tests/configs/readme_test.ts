/** The lists of configs/README.md, the sets and the policies, beside the configs themselves. */

import assert from "node:assert/strict";
import { openSession } from "../../src/session/session.ts";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";

const readme = await Deno.readTextFile(new URL("../../configs/README.md", import.meta.url));
const session = await openSession({ configs: [...bundledConfigs.keys()], thorough: true });
const { tools } = session.index;
const owners = [...new Map(tools.map(({ owner }) => [owner.name, owner])).values()];

/** Words between backquotes. */
function wordsOf(text: string): string[] {
  return text.match(/(?<=`)[^`\s]+(?=`)/g) ?? [];
}

const categories = new Map(
  readme.split("\n").filter((line) => /^\| `/.test(line)).map((line) => {
    const [category, ...configs] = wordsOf(line);
    return [category!, configs] as const;
  }),
);

Deno.test("configs/README.md has every config in its category, and no other", () => {
  const listed = [...categories].flatMap(([category, configs]) => {
    return configs.map((config) => `${config} ${category}`);
  });
  const real = owners.map(({ name, category }) => `${name} ${category}`);
  assert.deepEqual(listed.toSorted(), real.toSorted());
  assert.deepEqual(owners.map(({ name }) => name).toSorted(), [...bundledConfigs.keys()]);
});

Deno.test("configs/README.md has every tag, and no other", () => {
  const paragraph = readme.split("\n\n").find((each) =>
    each.startsWith("`") && each.endsWith(".")
  )!;
  const used = new Set(owners.flatMap(({ tags }) => tags));
  assert.deepEqual(wordsOf(paragraph), [...used].toSorted());
});

Deno.test("each config has a policy that leaves exactly what only looks", async () => {
  const looking = tools.filter(({ effect }) => effect === "read").map(({ owner }) => owner.name);
  for (const name of new Set(looking)) {
    const own = tools.filter(({ owner, effect }) => owner.name === name && effect === "read");
    const wanted = own.map(({ name }) => name).toSorted();
    for (const policy of [`${name}-readonly`, "readonly"]) {
      await using left = await openSession({ configs: [name], policy, strict: true });
      const names = left.index.tools.map(({ name }) => name).toSorted();
      assert.deepEqual(names, wanted, `${name} under ${policy}`);
    }
  }
});

Deno.test("under the policy 'ask', exactly what does not only look asks a person", async () => {
  const configs = [...bundledConfigs.keys()];
  await using all = await openSession({ configs, policy: "ask", strict: true });
  for (const { name, effect, needsConsent = false } of all.index.tools) {
    assert.equal(needsConsent, effect !== "read" && name !== "job_cancel", name);
  }
  assert.equal(all.index.tools.length > 300, true);
});
