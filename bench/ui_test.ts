/**
 * The page of `climax ui` in a real browser: every view, by mouse and by keyboard, wide and narrow,
 * light and dark, with tools that try to get out of their place. `deno task ui-test` runs it with the other
 * `ui_*_test.ts`; it needs Debian's Chromium, or another at CHROMIUM.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { longName, markup, startUi } from "../tests/ui/_page.ts";
import { look, visit } from "./_visit.ts";

Deno.test("the page searches as an agent does, and says why results stand where they do", async () => {
  await visit(async ({ tab, wrong }) => {
    assert.equal(await tab.evaluate("location.hash"), "#/tools");
    await tab.getByRole("cell", { name: "vcs" }).waitFor();
    await look(tab, "summary");
    await tab.getByRole("searchbox").fill("undo a commit");
    const results = tab.getByRole("list", { name: "Results, best first" });
    await results.waitFor();
    // The reasons of the first result are open
    await tab.getByText("Found, by stems").first().waitFor();
    assert.equal(await results.locator("details[open]").count(), 1);
    await results.getByText(/^Why here: \d+ % of the best score$/).nth(1).click();
    assert.equal(await results.locator("details[open]").count(), 2);
    await results.getByText("destructive").first().waitFor();
    assert.equal(await results.locator("li").count(), 10);
    await tab.getByRole("button", { name: "More results" }).click();
    await results.locator("li").nth(10).waitFor();
    await look(tab, "search");
    await tab.getByLabel("Program").selectOption("hostile");
    await tab.getByRole("searchbox").fill("prints");
    await tab.getByRole("link", { name: "echo_text" }).waitFor();
    const text = await results.textContent();
    assert.equal(text?.includes(markup), true);
    assert.equal(text?.includes("\\u{202e}") && !text.includes("\u202e"), true);
    // Letters of a plane that no font shows, and models read
    assert.equal(text?.includes("\\u{e0041}") && !text.includes("\u{e0041}"), true);
    await look(tab, "hostile");
    await tab.getByRole("link", { name: longName }).click();
    await tab.getByRole("heading", { name: longName }).waitFor();
    await look(tab, "a form of long words");
    await tab.goBack();
    await tab.getByRole("link", { name: longName }).waitFor();
    await tab.getByRole("searchbox").fill("secret_tool");
    await tab.getByText("No tool matches").first().waitFor();
    assert.deepEqual(wrong, []);
  });
});

Deno.test("a form makes the call of an agent; output is text, whatever is in it", async () => {
  await visit(async ({ page, tab, wrong }) => {
    await tab.goto(`${page.origin}/#/tools/echo_text`);
    await tab.getByLabel("text (required)").fill(markup);
    await tab.getByRole("button", { name: "Show what would be run" }).click();
    await tab.getByRole("heading", { name: "It would run this; nothing was run" }).waitFor();
    const command = `printf %s '${markup.replaceAll("'", `'\\''`)}'`;
    assert.equal(await tab.getByLabel("Result").locator("pre").first().textContent(), command);
    assert.equal(await tab.getByLabel("Result").locator("details[open]").count(), 0);
    await look(tab, "dry-run");
    await tab.getByRole("button", { name: "Run", exact: true }).click();
    await tab.getByRole("heading", { name: "Done" }).waitFor();
    assert.equal(await tab.getByLabel("Result").locator("pre").textContent(), markup);
    await look(tab, "result");
    const [line] = (await Deno.readTextFile(page.audit)).split("\n");
    assert.equal(JSON.parse(line!).client, "climax ui");
    assert.deepEqual(wrong, []);
  });
});

Deno.test("output is seen while it comes, and who stops the call ends the program", async () => {
  await visit(async ({ page, tab, browser, wrong }) => {
    await tab.goto(`${page.origin}/#/tools/run_script`);
    await tab.getByLabel("script (required)").fill("echo first; sleep 600");
    await tab.getByRole("button", { name: "Run", exact: true }).click();
    await tab.getByRole("log").getByText("first").waitFor();
    await look(tab, "running");
    // Another tab has it among the calls
    const other = await browser.newPage();
    await other.goto(page.url);
    await other.getByRole("link", { name: "Calls" }).click();
    const running = other.getByRole("list", { name: "Running" });
    await running.getByText("run_script").waitFor();
    await tab.getByRole("button", { name: "Stop" }).click();
    await running.getByText("run_script").waitFor({ state: "detached" });
    await other.getByRole("cell", { name: "stopped" }).waitFor();
    await other.close();
    await tab.getByRole("heading", { name: "Stopped" }).waitFor();
    // Its output so far stays
    await tab.getByRole("log").getByText("first").waitFor();
    await tab.getByLabel("script (required)").fill("yes '<b>x</b>' | head -c 3000000");
    await tab.getByRole("button", { name: "Run", exact: true }).click();
    await tab.getByRole("heading", { name: "Done" }).waitFor();
    const text = await tab.getByLabel("Result").locator("pre").textContent();
    assert.equal(text!.length < 1_000_001 && text!.includes("<b>x</b>"), true);
    await tab.getByLabel("script (required)").fill("true");
    await tab.getByLabel("count").fill("11");
    await tab.getByRole("button", { name: "Show what would be run" }).click();
    await tab.getByRole("heading", { name: "It would be refused" }).waitFor();
    await tab.getByRole("button", { name: "Run", exact: true }).click();
    await tab.getByRole("heading", { name: "Refused", exact: true }).waitFor();
    await tab.getByLabel("count").fill("10");
    await tab.getByLabel("script (required)").fill("exit 3");
    await tab.getByRole("button", { name: "Run", exact: true }).click();
    await tab.getByRole("heading", { name: "Failed" }).waitFor();
    await tab.getByText("exit code 3").first().waitFor();
    await look(tab, "refused");
    assert.deepEqual(wrong, []);
  });
});

Deno.test("a person at the keyboard is asked where the policy wants that, and no is the default", async () => {
  await visit(async ({ page, tab, wrong }) => {
    await tab.goto(`${page.origin}/#/tools/remove_all`);
    const run = tab.getByRole("button", { name: "Run", exact: true });
    await run.focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("dialog", { name: "You are about to run" }).waitFor();
    assert.equal(await tab.evaluate("document.activeElement.textContent"), "No");
    await tab.getByRole("dialog").getByText('["printf","removed"]').waitFor();
    assert.equal(await tab.getByText("Waiting for your answer").count(), 1);
    await look(tab, "question");
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: "Not run: you said no" }).waitFor();
    await run.focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("dialog", { name: "You are about to run" }).waitFor();
    await tab.keyboard.press("Escape");
    await tab.getByRole("heading", { name: "Not run: you closed the question" }).waitFor();
    await run.click();
    await tab.getByRole("button", { name: "Yes, run exactly this" }).click();
    await tab.getByRole("heading", { name: "Done" }).waitFor();
    await tab.getByRole("link", { name: "Calls" }).click();
    await tab.getByRole("heading", { name: "Calls" }).waitFor();
    await tab.getByText("confirmed", { exact: true }).waitFor();
    await tab.getByText("the person did not confirm").first().waitFor();
    await look(tab, "calls");
    await tab.getByLabel("Outcome", { exact: true }).selectOption("refused");
    await tab.getByText("2 of 3 calls").first().waitFor();
    await tab.getByLabel("Filter").fill("cancelled");
    await tab.getByText("1 of 3 calls").first().waitFor();
    assert.deepEqual(wrong, []);
  });
});

Deno.test("policy and costs are shown", async () => {
  await visit(async ({ tab, wrong }) => {
    await tab.getByRole("link", { name: "Policy", exact: true }).click();
    await tab.getByLabel("Served").selectOption("no");
    await tab.getByRole("rowheader", { name: "secret_tool" }).waitFor();
    await look(tab, "policy");
    await tab.getByLabel("Served").selectOption("");
    await tab.getByLabel("Effect").selectOption("destructive");
    await tab.getByRole("rowheader", { name: "remove_all" }).waitFor();
    await tab.getByLabel("Effect").selectOption("");
    await tab.getByRole("rowheader", { name: longName }).waitFor();
    await look(tab, "policy of every tool");
    await tab.getByRole("link", { name: "Tokens" }).click();
    await tab.getByRole("heading", { name: "Tokens" }).waitFor();
    await tab.getByRole("cell", { name: /^\d,\d{3}$/ }).first().waitFor();
    await look(tab, "costs");
    assert.deepEqual(wrong, []);
  });
});

/** Starts it as a newcomer does. */
async function startPlain(dir: string) {
  const env = { CLIMAX_STATE_DIR: join(dir, "state") };
  return await startUi(["git", "--no-browser"], { env, cwd: dir });
}

Deno.test("without a policy the page warns, previews two, and shows its own calls", async () => {
  await visit(async ({ tab, wrong }) => {
    await tab.getByRole("link", { name: "no policy" }).click();
    await tab.getByText("tools that say they write ask you first").waitFor();
    for (const [name, number] of [["ask", "ask first"], ["readonly", "not served"]] as const) {
      await tab.getByRole("button", { name: `Preview ${name}` }).click();
      await tab.getByText(`--policy ${name}`).waitFor();
      const text = await tab.locator(".legend li", { hasText: number }).textContent();
      assert.match(text!, /^[1-9]/);
      await look(tab, name);
    }
    await tab.goto(tab.url().replace(/#.*/, "#/tools/git_status"));
    await tab.getByRole("button", { name: "Run", exact: true }).click();
    await tab.getByRole("heading", { name: /^(Done|Failed)$/ }).waitFor();
    await tab.getByRole("link", { name: "Calls" }).click();
    await tab.getByRole("cell", { name: "git_status" }).waitFor();
    assert.deepEqual(wrong, []);
  }, startPlain);
});

Deno.test("without the token, and from a page of another origin, nothing is had", async () => {
  await visit(async ({ page, tab, browser }) => {
    const stranger = await browser.newPage();
    await stranger.goto(`${page.origin}/`);
    await stranger.getByText("The token is missing or wrong").waitFor();
    // Another port is another origin
    await using other = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
      return new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
    });
    await stranger.goto(`http://localhost:${other.addr.port}/`);
    const attempts = await stranger.evaluate(async ({ origin, token }) => {
      const body = JSON.stringify({ tool: "echo_text", args: { text: "owned" } });
      const headers = { "x-climax-token": token };
      const tries = [
        fetch(`${origin}/api/call`, { method: "POST", body, headers }),
        fetch(`${origin}/api/call`, { method: "POST", body, mode: "no-cors" }),
        fetch(`${origin}/api/about`, { headers }),
        fetch(`${origin}/main.js`),
      ];
      const ended = await Promise.allSettled(tries);
      return ended.map((each) => each.status === "fulfilled" ? `${each.value.status}` : "failed");
    }, { origin: page.origin, token: page.token });
    assert.deepEqual(attempts, ["failed", "failed", "failed", "failed"]);
    const framed = await stranger.evaluate(`(async () => {
      const frame = document.createElement("iframe");
      frame.src = ${JSON.stringify(page.url)};
      const loaded = new Promise((resolve) => frame.onload = resolve);
      document.body.append(frame);
      await loaded;
    })()`).then(() => stranger.frames().at(-1)!.content());
    assert.equal(framed.includes("climax"), false);
    assert.equal(await Deno.readTextFile(page.audit), "");
    // The requests failed for who asked, and the server still answers
    await tab.reload();
    await tab.getByRole("heading", { name: "Tools", exact: true }).waitFor();
  });
});
