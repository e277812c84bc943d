import assert from "node:assert/strict";
import { compilePath, PathError, PathSteps } from "../../src/files/json_path.ts";
import { workerBudget } from "../../src/files/work_budget.ts";
import { parseExactly } from "../../src/files/json.ts";

const value = {
  items: [{ name: "a1", n: 1 }, { name: "b2", n: 2, deep: { name: "c3" } }],
  big: Array.from({ length: 3000 }, (_, at) => at),
};

function select(path: string): unknown[] {
  const selecting = compilePath(path);
  if (typeof selecting !== "function") throw new Error(selecting.reason);
  return [...selecting(value)];
}

const paths: readonly [path: string, values: unknown[]][] = [
  ["$.items[*].name", ["a1", "b2"]],
  ["$.items[?@.n > 1].name", ["b2"]],
  ["$..name", ["a1", "b2", "c3"]],
  ['$.items[?match(@.name, "[a-z]1")].n', [1]],
  ['$.items[?search(@.name, "^b")].n', [2]],
  ['$.items[?match(@.name, "(")].n', []],
  ["$.items[?count(@.*) == 3].name", ["b2"]],
  ["$.nothing", []],
];

for (const [path, values] of paths) {
  Deno.test(`compilePath() follows ${path}`, () => assert.deepEqual(select(path), values));
}

for (const path of ["$[", "items", "$.a[?nope(@)]", `$.${"a".repeat(2000)}`, ""]) {
  Deno.test(`compilePath() says what is wrong with ${path.slice(0, 20)}`, () => {
    const compiled = compilePath(path);
    assert.ok(typeof compiled !== "function" && compiled.reason.length > 0);
  });
}

/** Lists in lists, `levels` deep. */
function lists(levels: number, length: number): unknown {
  return levels === 0 ? 1 : Array(length).fill(lists(levels - 1, length));
}

const costly: readonly [path: string, value: unknown][] = [
  ["$.big[?$.big[?$.big[?1==2]]]", value],
  ["$..[?@..[?$..[?$..*]]]", value],
  ["$.big[?count($.big[?count($..*) > 9]) > 9]", value],
  [`$${"[*,*]".repeat(3)}${"[?$..*]".repeat(2)}`, lists(5, 10)],
  [`$${"..*".repeat(60)}`, lists(100, 1)],
];

for (const [path, value] of costly) {
  Deno.test(`compilePath() gives up on ${path.slice(0, 40)}`, () => {
    // Of time it has enough
    const selecting = compilePath(path, new PathSteps({ ...workerBudget, ms: Infinity }));
    assert.ok(typeof selecting === "function");
    assert.throws(() => [...selecting(value)], /takes more than 2,000,000 steps/);
  });
}

Deno.test("parseExactly() keeps numbers as they were written", () => {
  const text =
    '{"id":1234567890123456789,"n":0.1,"s":"1234567890123456789","x":12345678901234567000}';
  assert.equal(JSON.stringify(parseExactly(text)), text);
  assert.equal(JSON.stringify(parseExactly("[1, 2.50]")), "[1,2.5]");
  // Neither the largest nor the smallest number there is
  const far = "[1e400,-1E+999,1e-400,1.5e300]";
  assert.equal(JSON.stringify(parseExactly(far)), far.replace("1.5e300", "1.5e+300"));
  assert.equal(JSON.stringify(parseExactly('["a1e400"]')), '["a1e400"]');
  assert.throws(() => parseExactly("{"), SyntaxError);
});

Deno.test("compilePath() tells what selects one value at most", () => {
  const isSingular = (path: string) => {
    const compiled = compilePath(path);
    return typeof compiled === "function" && compiled.isSingular;
  };
  assert.deepEqual(["$", "$.a['b'][0]", "$.a[-1]"].map(isSingular), [true, true, true]);
  assert.deepEqual(["$.a[*]", "$..a", "$.a[?@.b]", "$[0:1]"].map(isSingular), [
    false,
    false,
    false,
    false,
  ]);
});

Deno.test("paths that share their steps are bounded together", () => {
  const steps = new PathSteps();
  const selecting = compilePath("$.big[*]", steps);
  assert.ok(typeof selecting === "function");
  assert.throws(() => {
    for (let time = 0; time < 1000; time++) [...selecting(value)];
  }, PathError);
  steps.renew();
  assert.equal([...selecting(value)].length, 3000);
});

const letters = "x".repeat(2_000);
const ones = Array.from({ length: 2_000 }, () => 1);
/** Steps that each take long, which are far fewer than a path may take. */
const slow: readonly [path: string, value: unknown][] = [
  ["$.l[?$.a == $.b && @ == 2]", { a: ones, b: [...ones], l: ones }],
  ["$.l[?$.a < $.b]", { a: letters, b: `${letters.slice(1)}x`, l: ones }],
  [`$.l[*][${Array(240).fill("9").join()}]`, { l: Array(100).fill([]) }],
  ['$.l[?search($.a, "x")]', { a: letters, l: ones }],
];

for (const [path, value] of slow) {
  Deno.test(`compilePath() often reads the clock on ${path.slice(0, 40)}`, () => {
    // Time is up at the eleventh read
    let time = 0;
    const steps = new PathSteps({ ...workerBudget, now: () => time += workerBudget.ms / 10 });
    const selecting = compilePath(path, steps);
    assert.ok(typeof selecting === "function");
    steps.renew();
    assert.throws(() => [...selecting(value)], /takes more than 5 seconds/);
  });
}

const tooLarge: readonly [path: string, value: unknown, reason: RegExp][] = [
  [
    '$.l[?search($.a, "(?:a?){900}[^x]")]',
    { a: "x".repeat(2_000_000), l: [1] },
    /too large for a text of 2,000,000 characters/,
  ],
  ["$.l[?search(@, $.a)]", { a: "x{1000}".repeat(300), l: ["x"] }, /longer expression than a path/],
];

for (const [path, value, reason] of tooLarge) {
  Deno.test(`compilePath() does not search with ${path}`, () => {
    const selecting = compilePath(path);
    assert.ok(typeof selecting === "function");
    assert.throws(() => [...selecting(value)], reason);
  });
}

Deno.test("compilePath() finds nothing in a number that was put aside", () => {
  const text = `{"a":12345678901234567890,"b":1}`;
  for (
    const [path, count] of [["$..*", 2], ["$.a.*", 0], ["$.a.rawJSON", 0], ["$.a", 1]] as const
  ) {
    const selecting = compilePath(path);
    assert.ok(typeof selecting === "function");
    assert.equal([...selecting(parseExactly(text))].length, count, path);
  }
});

Deno.test("compilePath() gives up on a value that is too deep", () => {
  const selecting = compilePath("$..a");
  assert.ok(typeof selecting === "function");
  const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`);
  assert.throws(() => [...selecting(deep)], PathError);
});

Deno.test("compilePath() sees the keys that objects have of themselves", () => {
  const selecting = compilePath("$['__proto__','constructor','toString']");
  assert.ok(typeof selecting === "function");
  assert.deepEqual([...selecting({})], []);
  assert.deepEqual([...selecting(JSON.parse('{"__proto__": 1, "constructor": 2}'))], [1, 2]);
});
