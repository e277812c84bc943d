/** The paths of a call are those that a shell would find, in the served folder alone. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { pathsMeant } from "../../src/call/path_values.ts";
import type { ArgValue } from "../../src/tool/tool.ts";
import { withDirectory } from "../_io.ts";
import { assertLinear } from "../_growth.ts";
import { unixTest } from "../_requirements.ts";
import { argOf } from "../_tools.ts";

const list = { type: "string", min: 0, max: 3 } as const;
const limits = { within: "." };
const many = argOf("path", { type: "array", list, limits });
const one = argOf("path", { limits });

unixTest("pathsMeant() finds what a shell would find, and nothing outside", async () => {
  const top = Deno.realPathSync(await Deno.makeTempDir());
  const work = join(top, "work");
  const files = ["work/a.ts", "work/x, y.ts", "work/sub/b.ts", "work/.hidden.ts", "secret.ts"];
  for (const file of [...files, "work/node_modules/c.ts", "work/[id]/p.ts", "work/i/q.ts"]) {
    await Deno.mkdir(dirname(join(top, file)), { recursive: true });
    await Deno.writeTextFile(join(top, file), "");
  }
  await Deno.symlink("..", join(work, "out"));
  using _ = withDirectory(work);
  const rows: readonly (readonly [value: ArgValue, meant: ArgValue | undefined, arg?: object])[] = [
    ["*.ts", ["a.ts", "x, y.ts"]],
    ["**/b.ts", ["sub/b.ts"]],
    [["a.ts", "*.ts"], ["a.ts", "x, y.ts"]],
    [`${work}/s*/*.ts`, [`${work}/sub/b.ts`]],
    [pathToFileURL(join(work, "a.ts")).href, [join(work, "a.ts")]],
    ["x, y.ts", ["x, y.ts"]],
    ["[id]/p.ts", ["[id]/p.ts"]],
    ["none*.ts", ["none*.ts"]],
    ["../*.ts", ["../*.ts"]],
    ["out/*.ts", ["out/*.ts"]],
    ["/*", ["/*"]],
    ["{a}{a,.}{a,t}{a,s}{a,}", ["{a}{a,.}{a,t}{a,s}{a,}"]],
    ["**/*.ts", undefined],
    ["*.ts", ["a.ts"], { constraint: { within: join(work, "a.ts") } }],
    [":(glob)*.ts", [":(glob)*.ts"], { limits: { within: ".", pattern: ".*" } }],
  ];
  for (const [value, expected, rest] of rows) {
    const args = [{ ...many, ...rest }];
    const { meant, reasons } = pathsMeant(args, new Map([["path", value]]));
    const found = meant[0]?.[1] ?? (reasons.length > 0 ? undefined : value);
    assert.deepEqual(found, [expected].flat()[0] === undefined ? undefined : expected, `${value}`);
  }
  const { meant } = pathsMeant([one], new Map([["path", "*.ts"]]));
  assert.deepEqual(meant, [["path", "*.ts"]]);
  // In a directory outside nothing is looked for
  const values = new Map<string, ArgValue>([["path", ["*.ts"]]]);
  for (const directory of ["..", "out", top]) {
    const { meant } = pathsMeant([many], values, directory);
    assert.deepEqual(meant, [["path", ["*.ts"]]], directory);
  }
});

unixTest("pathsMeant() reads one long text in linear time", async () => {
  const make = (length: number) => {
    const values = new Map([["path", `${" ".repeat(length)}x`]]);
    return () => pathsMeant([many], values);
  };
  await assertLinear(make, { size: 20_000 });
});
