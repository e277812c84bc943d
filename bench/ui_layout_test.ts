/** The page of `climax ui` in a real browser: its head stays on top, questions appear by themselves, and the keyboard works. */

import assert from "node:assert/strict";
import { focused, look, tabTo, visit } from "./_visit.ts";

Deno.test("the header stays on top, and says what is served under which policy", async () => {
  await visit(async ({ page, tab }) => {
    const top = async () => Math.round((await tab.locator("nav").boundingBox())!.y);
    const served = tab.locator("#served-line");
    assert.match(
      (await served.textContent())!,
      /^\d+ tools of hostile\.yaml, gitpolicy: policy\.yaml$/,
    );
    for (const width of [1280, 390]) {
      await tab.setViewportSize({ width, height: 500 });
      for (const view of ["policy", "tools/git_log", "calls", "costs", "tools"]) {
        await tab.goto(`${page.origin}/#/${view}`);
        await tab.locator("main:not([aria-busy]) :is(h1, .fields *):focus").waitFor();
        // A new view begins at its top
        assert.equal(await tab.evaluate("scrollY"), 0, view);
        await tab.evaluate("scrollTo(0, 1e6)");
        const y = await top();
        assert.equal(y >= 0 && y < 40, true, `${view} at ${width}: ${y}`);
      }
    }
  });
});

Deno.test("calls of others appear as they are made; a row that is open stays open", async () => {
  await visit(async ({ page, tab, wrong }) => {
    const append = async (tool: string) => {
      const entry = {
        ending: "answered",
        time: new Date().toISOString(),
        tool,
        decision: "allowed",
        duration_ms: 1234,
      };
      await Deno.writeTextFile(page.audit, `${JSON.stringify(entry)}\n`, { append: true });
    };
    await append("first_tool");
    await tab.getByRole("link", { name: "Calls" }).click();
    await tab.getByRole("cell", { name: "first_tool" }).waitFor();
    await tab.getByText("Live", { exact: true }).first().waitFor();
    await tab.locator("tbody summary").first().click();
    await append("second_tool");
    await tab.getByRole("cell", { name: "second_tool" }).waitFor();
    assert.equal(await tab.locator("tbody tr:nth-child(2) details[open]").count(), 1);
    assert.equal(await tab.locator("tbody tr:nth-child(1) details[open]").count(), 0);
    await tab.getByRole("button", { name: "Pause" }).click();
    assert.equal(await tab.locator(".legend .done").textContent(), "2 done");
    await append("third_tool");
    await tab.getByText("Paused").first().waitFor();
    assert.equal(await tab.getByRole("cell", { name: "third_tool" }).count(), 0);
    await tab.getByRole("button", { name: "Resume" }).click();
    await tab.getByRole("cell", { name: "third_tool" }).waitFor();
    await tab.getByText("1.2 s").first().waitFor();
    assert.deepEqual(wrong, []);
  });
});

Deno.test("everything is reached by the keyboard", async () => {
  await visit(async ({ page, tab, wrong }) => {
    // One may type at once
    assert.equal(await focused(tab, "input[type=search]"), true);
    const answered = tab.waitForResponse((response) => response.url().endsWith("query=echo_text"));
    await tab.keyboard.type("echo_text");
    await (await answered).finished();
    await tab.getByRole("link", { name: "echo_text" }).waitFor();
    await tab.keyboard.press("ArrowDown");
    assert.equal(await tab.evaluate("document.activeElement.textContent"), "echo_text");
    await tab.keyboard.press("ArrowUp");
    assert.equal(await focused(tab, "input[type=search]"), true);
    await tabTo(tab, "echo_text");
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: "echo_text" }).waitFor();
    assert.equal(await focused(tab, "#arg-0"), true);
    // Required fields are marked, and nothing is sent
    await tab.keyboard.press("Control+Enter");
    await tab.locator("#arg-0[aria-invalid]:focus").waitFor();
    await tab.getByText("Required: text").waitFor();
    assert.equal(await Deno.readTextFile(page.audit), "");
    await look(tab, "a field that is missing");
    const unnamed = await tab.evaluate(
      "[...document.querySelectorAll('input, select, textarea')]" +
        ".filter(({ labels }) => labels.length === 0).length",
    );
    assert.equal(unnamed, 0);
    await tab.keyboard.type("a/b");
    assert.equal(await tab.locator("[aria-invalid], .problem:not(:empty)").count(), 1);
    assert.equal(await tab.getByLabel("text (required)").inputValue(), "a/b");
    await tab.keyboard.press("Control+Enter");
    await tab.getByRole("heading", { name: "Done" }).waitFor();
    await tabTo(tab, "Run");
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: "Done" }).waitFor();
    assert.equal(await tab.evaluate("document.activeElement.textContent"), "Run");
    // Back to what was found
    await tab.goBack();
    await tab.getByRole("link", { name: "echo_text" }).waitFor();
    assert.equal(await tab.getByRole("searchbox").inputValue(), "echo_text");
    for (const view of ["Policy", "Tokens"]) {
      await tab.getByRole("link", { name: view, exact: true }).focus();
      await tab.keyboard.press("Enter");
      await tab.getByRole("heading", { name: view }).waitFor();
      await tab.keyboard.press("/");
      await tab.locator("input[type=search]:focus").waitFor();
    }
    // Tokens have no search field, so the key leads to the tools
    await tab.getByRole("heading", { name: "Tools", exact: true }).waitFor();
    await tab.locator(".skip").focus();
    await tab.keyboard.press("Enter");
    assert.equal(await focused(tab, "h1"), true);
    // Without a field, the keys count in the whole view
    await tab.goto(`${page.origin}/#/tools/remove_all`);
    await tab.locator("main:not([aria-busy]) h1:focus").waitFor();
    await tab.keyboard.press("Control+Enter");
    await tab.getByRole("dialog", { name: "You are about to run" }).waitFor();
    await tab.keyboard.press("Escape");
    assert.deepEqual(wrong, []);
  });
});
