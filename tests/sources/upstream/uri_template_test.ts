import assert from "node:assert/strict";
import { expandTemplate, fitsTemplate } from "../../../src/sources/upstream/addresses.ts";

const values = { id: "5", path: "a/b c", q: "x&y", empty: "", odd: "()*'!" };

const expansions: [template: string, address: string][] = [
  ["demo://item/{id}", "demo://item/5"],
  ["demo://item/{path}", "demo://item/a%2Fb%20c"],
  ["file:///{+path}", "file:///a/b%20c"],
  ["demo://x{/id,path}", "demo://x/5/a%2Fb%20c"],
  ["demo://x{?q,missing}", "demo://x?q=x%26y"],
  ["demo://x?a=1{&q}", "demo://x?a=1&q=x%26y"],
  ["demo://x{#id}", "demo://x#5"],
  ["demo://x{;id}", "demo://x;id=5"],
  ["demo://{id:3}/{path*}", "demo://5/a%2Fb%20c"],
  ["demo://{odd}/{+odd}", "demo://%28%29%2A%27%21/()*'!"],
  ["demo://{id,q}{+id,q}{#id,q}{.id,q}", "demo://5,x%26y5,x&y#5,x&y.5.x%26y"],
  ["demo://x{;id,empty}{?id,q}", "demo://x;id=5;empty=?id=5&q=x%26y"],
  ["demo://{missing}", "demo://"],
  ["demo://{__proto__}", "demo://"],
  ["demo://unclosed{id", "demo://unclosed{id"],
];

Deno.test("expandTemplate() writes values where the template has variables", () => {
  for (const [template, address] of expansions) {
    assert.equal(expandTemplate(template, values), address, template);
  }
});

const fits: [template: string, address: string, fits: boolean][] = [
  ["demo://item/{id}", "demo://item/5", true],
  ["demo://item/{id}", "demo://other/5", false],
  ["demo://item/{id}/data", "demo://item/5/data", true],
  ["demo://item/{id}/data", "demo://item/data", false],
  ["demo://item/{id}/data", "demo://item/5/datax", false],
  ["demo://item/{id}/data", "demo://item//data", true],
  ["{a}-{b}", "1-2", true],
  ["{a}-{b}", "12", false],
  ["demo://plain", "demo://plain", true],
  ["demo://plain", "demo://plain2", false],
];

Deno.test("fitsTemplate() compares what is between the variables", () => {
  for (const [template, address, expected] of fits) {
    assert.equal(fitsTemplate(template, address), expected, `${template} ${address}`);
  }
});

Deno.test("fitsTemplate() takes a template made to be slow in its stride", () => {
  assert.equal(fitsTemplate("{a}a".repeat(500) + "b{c}", "a".repeat(4000)), false);
});
