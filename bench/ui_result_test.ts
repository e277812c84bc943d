/** Results, arguments and answers on the page of `climax ui`, in a real browser. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page as Tab } from "playwright-core";
import { Approvals } from "../src/call/approvals.ts";
import { FileStore } from "../src/state/file_store.ts";
import { until } from "../tests/_wait.ts";
import { startPage } from "../tests/ui/_page.ts";
import { look, visit } from "./_visit.ts";

async function openTool(tab: Tab, origin: string, name: string): Promise<void> {
  await tab.goto(`${origin}/#/tools/${name}`);
  await tab.getByRole("heading", { name }).waitFor();
}

Deno.test("a result begins at its first line; lines are filtered, wrapped, copied and saved", async () => {
  await visit(async ({ page, tab, wrong }) => {
    await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await openTool(tab, page.origin, "run_script");
    const row = `echo "row $i ${"wide ".repeat(60)}"`;
    const script = `i=0; while [ $i -lt 40 ]; do i=$((i+1)); ${row}; done`;
    await tab.getByLabel("script (required)").fill(script);
    await tab.keyboard.press("Control+Enter");
    await tab.getByRole("heading", { name: "Done" }).waitFor();
    const text = tab.locator("pre.output");
    const hidden = () => text.evaluate((pre) => pre.scrollWidth - pre.clientWidth);
    assert.match((await text.textContent())!, /^row 1 /);
    assert.equal(
      await text.evaluate((pre) => pre.computedStyleMap().get("padding-top")!.value),
      12,
    );
    assert.equal(await hidden() > 100, true);
    await tab.getByRole("button", { name: "Wrap" }).click();
    assert.equal(await hidden(), 0);
    await look(tab, "wrapped");
    await tab.getByLabel("Filter the lines of the result").fill("row 40");
    await tab.getByText("1 of 40 lines").waitFor();
    assert.match((await text.textContent())!, /^row 40 wide/);
    const saving = tab.waitForEvent("download");
    await tab.getByRole("button", { name: "Save" }).click();
    const saved = await saving;
    assert.equal(saved.suggestedFilename(), "run_script.txt");
    assert.match(await Deno.readTextFile(await saved.path()), /^row 40 (?:wide )+$/);
    await tab.getByRole("button", { name: "Copy", exact: true }).click();
    await tab.getByRole("button", { name: "Copied" }).waitFor();
    assert.match(await tab.evaluate("navigator.clipboard.readText()"), /^row 40 wide/);
    assert.deepEqual(wrong, []);
  });
});

Deno.test("arguments survive a return and a reload, and make a link without secrets", async () => {
  await visit(async ({ page, tab, wrong }) => {
    await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await openTool(tab, page.origin, "run_script");
    await tab.getByLabel("script (required)").fill("echo kept");
    await tab.getByLabel("level").selectOption("high");
    await tab.getByLabel("api_key").fill("sesame");
    const state = async () => await tab.evaluate("JSON.stringify(history.state)") as string;
    await until(async () => (await state()).includes(`"level":"high"`), "the kept arguments");
    assert.equal((await state()).includes("sesame"), false);
    const check = async (how: string) => {
      await tab.getByRole("heading", { name: "run_script" }).waitFor();
      const script = await tab.getByLabel("script (required)").inputValue();
      const chosen = await tab.getByLabel("level").locator("option:checked").textContent();
      const secret = await tab.getByLabel("api_key").inputValue();
      assert.deepEqual([script, chosen, secret], ["echo kept", "high", ""], how);
    };
    await tab.getByRole("link", { name: "Policy", exact: true }).click();
    await tab.getByRole("heading", { name: "Policy" }).waitFor();
    await tab.goBack();
    await check("back");
    await tab.reload();
    await check("reload");
    await tab.getByLabel("api_key").fill("sesame");
    await tab.getByRole("button", { name: "Copy link" }).click();
    await tab.getByRole("button", { name: "Copied" }).waitFor();
    const link = await tab.evaluate("navigator.clipboard.readText()") as string;
    assert.equal(link.includes("kept") && !link.includes("sesame"), true, link);
    await tab.goto(`${page.origin}/#/costs`);
    await tab.getByRole("heading", { name: "Tokens" }).waitFor();
    await tab.goto(link);
    await check("link");
    // Opening it has run nothing
    assert.equal(await Deno.readTextFile(page.audit), "");
    // What a field cannot show stays JSON
    await tab.goto(`${page.origin}/#/tools/run_script?args={"script":"a","quick":false}`);
    await tab.locator("#arg-0:focus").waitFor();
    assert.equal(await tab.locator("#arg-json").isVisible(), false);
    await tab.goto(`${page.origin}/#/tools/run_script?args={"script":"a","level":"x"}`);
    await tab.locator("#arg-json").waitFor();
    const kept = JSON.parse(await tab.locator("#arg-json").inputValue());
    assert.deepEqual(kept, { script: "a", level: "x" });
    assert.deepEqual(wrong, []);
  });
});

Deno.test("an unknown name leads on", async () => {
  await visit(async ({ page, tab, wrong }) => {
    await openTool(tab, page.origin, "ehco_text");
    await look(tab, "unknown tool");
    await tab.getByRole("link", { name: "Did you mean echo_text?" }).click();
    await tab.getByRole("heading", { name: "echo_text" }).waitFor();
    await tab.goto(`${page.origin}/#/tool/echo_text`);
    await tab.getByRole("heading", { name: "Not a view" }).waitFor();
    await tab.getByRole("link", { name: "See all tools" }).click();
    await tab.getByRole("heading", { name: "Tools", exact: true }).waitFor();
    await tab.getByText(/climax(?:\.mjs)?'? connect claude-code /).waitFor();
    assert.deepEqual(wrong, []);
  });
});

Deno.test("the answers to a waiting call are told apart, and none is given by chance", async () => {
  let dir = "";
  await visit(async ({ tab, wrong }) => {
    const store = await FileStore.open(join(dir, "state", ".climax-logins"), "approvals");
    const approvals = new Approvals(store);
    const scopes = [{ choice: "folder", key: "3", words: "calls below /p" }] as const;
    const call = {
      key: "1",
      refusalKey: "2",
      owner: "1",
      client: "cursor",
      tool: "git_push",
      scopes,
    };
    const shown = { words: 'Push\nExactly this runs:\n["git","push"]', line: "git push" };
    const waiting = { ...call, ...shown, directory: "/p" };
    await approvals.add(waiting);
    await tab.getByRole("heading", { name: "1 call waiting for your yes" }).waitFor();
    const answers = tab.getByRole("group", { name: "Your answer" });
    await answers.waitFor();
    const buttons = answers.getByRole("button");
    const names = (await buttons.allTextContents()).join("; ");
    assert.match(names, /^No; Yes, once; Yes, until.*; Yes to calls below.*; Yes, always$/);
    const looks = await buttons.evaluateAll((all) =>
      all.map((each) => {
        const { backgroundColor, borderStyle, borderColor } = each.ownerDocument.defaultView!
          .getComputedStyle(each);
        return [backgroundColor, borderStyle, borderColor].join();
      })
    );
    // Those for some later calls look alike
    assert.equal(new Set(looks).size, 4);
    await look(tab, "answers");
    // A question takes no focus from what is typed
    assert.equal(await answers.locator(":focus").count(), 0);
    await buttons.nth(0).focus();
    await tab.keyboard.press("Enter");
    await tab.locator("#waiting").waitFor({ state: "hidden" });
    assert.equal((await approvals.use(["2"]))?.choice, "no");
    await approvals.add({ ...waiting, key: "4", refusalKey: "5" });
    await buttons.nth(1).click();
    await tab.locator("#waiting").waitFor({ state: "hidden" });
    assert.equal((await approvals.use(["4"]))?.how, "climax ui");
    approvals.close();
    assert.deepEqual(wrong, []);
  }, (folder) => startPage(dir = folder));
});
