import assert from "node:assert/strict";
import { escapeReferences, expand, homeVariable } from "../../src/files/expand.ts";

const values: Readonly<Record<string, string>> = {
  [homeVariable]: "/home/ada",
  A: "1",
  _B2: "two words",
  EMPTY: "",
  NESTED: "$A ~ ${A}",
  DOLLARS: "$& $1 $$",
};
const environment = (name: string) => Object.hasOwn(values, name) ? values[name] : undefined;

const expansions: readonly [text: string, expected: string, unset?: string[]][] = [
  ["plain", "plain"],
  ["", ""],
  ["$A", "1"],
  ["${A}", "1"],
  ["x${A}y$A", "x1y1"],
  ["$A$_B2", "1two words"],
  ["$A-b", "1-b"],
  ["$AB", "", ["AB"]],
  ["${A}B", "1B"],
  ["$EMPTY", ""],
  ["$NOPE/${NEITHER}/$NOPE", "//", ["NOPE", "NEITHER", "NOPE"]],
  ["~", "/home/ada"],
  ["~/bin", "/home/ada/bin"],
  ["~ada/bin", "~ada/bin"],
  ["a~", "a~"],
  ["/~/b", "/~/b"],
  ["~/$A", "/home/ada/1"],
  ["$NESTED", "$A ~ ${A}"],
  ["$DOLLARS", "$& $1 $$"],
  ["$", "$"],
  ["$$A", "$A"],
  ["$$$A $$$${A} $$", "$1 $${A} $$"],
  ["$~/b", "~/b"],
  ["${A:-x}${NOPE:-x}${EMPTY:-}", "1x"],
  ["$1", "$1"],
  ["${}", "${}"],
  ["${A", "${A"],
  ["${A-x}", "${A-x}"],
  ["$a", "", ["a"]],
  ["$É", "$É"],
];

for (const [text, expected, unset = []] of expansions) {
  Deno.test(`expand() turns ${JSON.stringify(text)} into ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(expand(text, environment), { text: expected, unset });
    assert.deepEqual(expand(escapeReferences(text), environment), { text, unset: [] });
  });
}

Deno.test("expand() leaves ~ as it is where there is no home", () => {
  assert.deepEqual(expand("~/x", () => undefined), { text: "~/x", unset: [homeVariable] });
});
