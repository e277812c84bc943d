/** The form of a tool on the page of `climax ui`, in a real browser. */

import assert from "node:assert/strict";
import { look, visit } from "./_visit.ts";

Deno.test("a form fits a screen: common arguments first, the others folded", async () => {
  await visit(async ({ page, tab, wrong }) => {
    await tab.goto(`${page.origin}/#/tools/git_log`);
    const run = tab.getByRole("button", { name: "Run", exact: true });
    await run.waitFor();
    const { y, height } = (await run.boundingBox())!;
    assert.equal(y + height < 900, true);
    assert.equal(await tab.getByLabel("oneline").isVisible(), false);
    await tab.getByText(/^\d+ more arguments$/).click();
    await tab.getByLabel("oneline").check();
    await tab.getByText(/^\d+ more arguments, 1 set$/).waitFor();
    await look(tab, "form");
    assert.equal(await tab.getByLabel("max_count").getAttribute("type"), "number");
    await tab.getByLabel("max_count").fill("3");
    // Unfolded, the form is longer than the window, and the buttons are still in it
    await tab.setViewportSize({ width: 390, height: 700 });
    await tab.evaluate("scrollTo(0, 200)");
    const narrow = (await run.boundingBox())!;
    assert.equal(narrow.y + narrow.height <= 700, true);
    await tab.getByLabel("As JSON", { exact: true }).check();
    const json = tab.getByLabel("Arguments as JSON");
    assert.deepEqual(JSON.parse(await json.inputValue()), { max_count: 3, oneline: true });
    await json.fill(`{"max_count": 4, "all": true}`);
    await tab.getByLabel("As JSON", { exact: true }).uncheck();
    assert.equal(await tab.getByLabel("max_count").inputValue(), "4");
    assert.equal(await tab.getByLabel("oneline").isChecked(), false);
    await tab.getByRole("button", { name: "Show what would be run" }).click();
    await tab.getByText("git log --no-textconv --max-count=4 --all").waitFor();
    await tab.getByLabel("max_count").fill("");
    await tab.getByLabel("max_count").pressSequentially("4e");
    await tab.getByRole("button", { name: "Show what would be run" }).click();
    await tab.getByText("max_count: not a number").waitFor();
    assert.deepEqual(wrong, []);
  });
});

/** Arguments of `fieldOf()` in the page's own module, what is written into the field, and what it reads. */
const fields: readonly [
  what: string,
  schema: object,
  required: boolean,
  write: unknown,
  read: string,
][] = [
  ["an empty box is omitted", { type: "boolean" }, false, undefined, "undefined"],
  ["a checked box is true", { type: "boolean" }, false, true, "true"],
  ["an empty box that is required is false", { type: "boolean" }, true, undefined, "false"],
  [
    "a box in its default state is omitted",
    { type: "boolean", default: true },
    false,
    true,
    "undefined",
  ],
  ["a box against its default is sent", { type: "boolean", default: true }, false, false, "false"],
  ["a number that may be null is a number", { type: ["integer", "null"] }, false, 3, "3"],
  ["as is one of anyOf", { anyOf: [{ type: "number" }, { type: "null" }] }, false, 1.5, "1.5"],
  ["a number that would be rounded", { type: "integer" }, false, "12345678901234567", "too large"],
  ["a list of numbers", { type: "array", items: { type: "integer" } }, false, [1, 2], "[1,2]"],
  ["a list without items", { type: "array", items: { type: "string" } }, false, [], "undefined"],
  ["a choice", { enum: [1, "1", null] }, false, "1", `"1"`],
  ["an object", { type: "object" }, false, { a: [1] }, `{"a":[1]}`],
  ["a text of two lines", { type: "string" }, false, "a\nb", `"a\\nb"`],
];

Deno.test("a field sends what its schema means", async () => {
  await visit(async ({ tab, wrong }) => {
    for (const [what, schema, required, value, expected] of fields) {
      const found = await tab.evaluate(async ({ schema, required, value }) => {
        const path = "/form.js";
        const { fieldOf } = await import(path);
        const { read, write } = fieldOf("name", schema, { id: "x", required });
        if (value !== undefined) write(value);
        try {
          return String(JSON.stringify(read()));
        } catch (error) {
          return (error as Error).message;
        }
      }, { schema, required, value });
      assert.equal(found.includes(expected), true, `${what}: ${found}`);
    }
    assert.deepEqual(wrong, []);
  });
});
