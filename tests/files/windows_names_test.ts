import assert from "node:assert/strict";
import { nameProblem } from "../../src/files/windows_names.ts";

const refused: readonly (readonly [names: readonly string[], reason: RegExp])[] = [
  [
    [
      ...["CON", "con", "nul", "aux.c", "COM1", "com9.txt", "COM0", "com¹", "LPT³.log", "CONIN$"],
      ...["nul .txt"],
    ],
    /is a device of Windows$/,
  ],
  [
    [".git::$INDEX_ALLOCATION", ".env::$DATA", "a:b", "a*", "a?b", 'a"b', "a|b", "<a>"],
    /is not the name of a file$/,
  ],
  [[".git.", ".git ", "a. .", "x..."], /leaves out the end of/],
  [["GIT~1", "PROGRA~2", "a~1.txt", "~ABC~12".slice(1)], /may be the short name of another file$/],
];

for (const [names, reason] of refused) {
  for (const name of names) {
    Deno.test(`nameProblem() has a reason against ${JSON.stringify(name)}`, () => {
      assert.match(nameProblem(name) ?? "", reason);
    });
  }
}

Deno.test("nameProblem() has nothing against plain names", () => {
  const names = [
    ...[
      ...["a", ".git", "com", "com10", "console.log", "nullable", "auxiliary.c", "file~", "a~b"],
      ...["über 日本.txt"],
    ],
    ...["lpt", "backup~1970-01", "long-name~1", "...a", " a"],
  ];
  assert.deepEqual(names.filter((name) => nameProblem(name) !== undefined), []);
});
