/**
 * The page of `climax ui` in a real browser: every view, by mouse and by keyboard, wide and narrow,
 * light and dark, with tools that try to get out of their place. `deno task ui-test`; it needs Debian's
 * Chromium, or another at CHROMIUM. CLIMAX_SCREENSHOTS names a folder for pictures of each view.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type Browser, chromium, type Page as Tab } from "playwright-core";
import { scratch } from "../tests/e2e/_scratch.ts";
import { markup, type Page, startPage } from "../tests/ui/_page.ts";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const shots = Deno.env.get("CLIMAX_SCREENSHOTS");

interface Visit {
  readonly page: Page;
  readonly tab: Tab;
  readonly browser: Browser;
  /** Requests to anywhere but the page's own port, errors, and what the content policy stopped. */
  readonly wrong: string[];
}

/** Opens the page in a browser of its own. */
async function visit(use: (visit: Visit) => Promise<void>): Promise<void> {
  await using dir = await scratch();
  await using page = await startPage(dir.path);
  const executablePath = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: flags });
  try {
    const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const wrong: string[] = [];
    tab.on("request", (request) => {
      if (!request.url().startsWith(`${page.origin}/`)) wrong.push(`asked ${request.url()}`);
    });
    tab.on("pageerror", (error) => wrong.push(String(error)));
    tab.on("console", (said) => {
      if (said.type() === "error") wrong.push(said.text());
    });
    tab.on("dialog", (dialog) => wrong.push(dialog.message()));
    await tab.goto(page.url);
    await tab.getByRole("heading", { name: "Tools", exact: true }).waitFor();
    await use({ page, tab, browser, wrong });
    assert.equal((await tab.title()).includes("owned"), false);
    assert.equal(await tab.locator("img, iframe, object, embed, main script").count(), 0);
  } finally {
    await browser.close();
  }
}

/** A picture of the view at both widths; nothing may stand beyond the edge. */
async function look(tab: Tab, name: string): Promise<void> {
  for (const width of [1280, 390]) {
    await tab.setViewportSize({ width, height: 900 });
    const reach = await tab.evaluate("document.documentElement.scrollWidth");
    assert.equal(Number(reach) <= width, true, `${name} at ${width} reaches ${reach}`);
    if (shots === undefined) continue;
    await tab.screenshot({ path: join(shots, `${name}-${width}.png`), fullPage: true });
  }
  await tab.setViewportSize({ width: 1280, height: 900 });
}

Deno.test("the page searches as an agent does, and says why results stand where they do", async () => {
  await visit(async ({ tab, wrong }) => {
    assert.equal(await tab.evaluate("location.hash"), "#/tools");
    await tab.getByRole("cell", { name: "vcs" }).waitFor();
    await look(tab, "summary");
    await tab.getByRole("searchbox").fill("undo a commit");
    const results = tab.getByRole("list", { name: "Results, best first" });
    await results.waitFor();
    await results.getByRole("group").first().locator("summary").click();
    await tab.getByText("Found, by stems").first().waitFor();
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
    await tab.getByRole("heading", { name: "It would run this, and has not" }).waitFor();
    await look(tab, "dry-run");
    await tab.getByRole("button", { name: "Run it" }).click();
    await tab.getByRole("heading", { name: "It is done" }).waitFor();
    assert.equal(await tab.getByLabel("What came of it").locator("pre").textContent(), markup);
    await look(tab, "result");
    const [line] = (await Deno.readTextFile(page.audit)).split("\n");
    assert.equal(JSON.parse(line!).client, "climax ui");
    assert.deepEqual(wrong, []);
  });
});

Deno.test("output is seen while it comes, and who stops the call ends the program", async () => {
  await visit(async ({ page, tab, wrong }) => {
    await tab.goto(`${page.origin}/#/tools/run_script`);
    await tab.getByLabel("script (required)").fill("echo first; sleep 600");
    await tab.getByRole("button", { name: "Run it" }).click();
    await tab.getByRole("log").getByText("first").waitFor();
    await look(tab, "running");
    await tab.getByRole("button", { name: "Stop" }).click();
    await tab.getByText("Stopped").first().waitFor();
    await tab.getByLabel("script (required)").fill("yes '<b>x</b>' | head -c 3000000");
    await tab.getByRole("button", { name: "Run it" }).click();
    await tab.getByRole("heading", { name: "It is done" }).waitFor();
    const text = await tab.getByLabel("What came of it").locator("pre").textContent();
    assert.equal(text!.length < 1_000_001 && text!.includes("<b>x</b>"), true);
    await tab.getByLabel("script (required)").fill("true");
    await tab.getByLabel("count").fill("11");
    await tab.getByRole("button", { name: "Show what would be run" }).click();
    await tab.getByRole("heading", { name: "It would be refused" }).waitFor();
    await look(tab, "refused");
    assert.deepEqual(wrong, []);
  });
});

Deno.test("a person at the keyboard is asked where the policy wants that, and no is the default", async () => {
  await visit(async ({ page, tab, wrong }) => {
    await tab.goto(`${page.origin}/#/tools/remove_all`);
    const run = tab.getByRole("button", { name: "Run it" });
    await run.focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("dialog", { name: "Run it?" }).waitFor();
    assert.equal(await tab.evaluate("document.activeElement.textContent"), "No");
    await look(tab, "question");
    await tab.keyboard.press("Enter");
    await tab.getByText("the person declined it").waitFor();
    await run.focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("dialog", { name: "Run it?" }).waitFor();
    await tab.keyboard.press("Escape");
    await tab.getByText("the person closed the question").waitFor();
    await run.click();
    await tab.getByRole("button", { name: "Yes, run exactly this" }).click();
    await tab.getByRole("heading", { name: "It is done" }).waitFor();
    await tab.getByRole("link", { name: "Calls" }).click();
    await tab.getByRole("heading", { name: "Calls" }).waitFor();
    await tab.getByText("person: accepted").waitFor();
    await look(tab, "calls");
    await tab.getByLabel("Decision").selectOption("refused");
    await tab.getByText("2 of 3 calls").first().waitFor();
    await tab.getByLabel("Only those with").fill("closed");
    await tab.getByText("1 of 3 calls").first().waitFor();
    assert.deepEqual(wrong, []);
  });
});

Deno.test("policy and costs are shown, in the dark too", async () => {
  await visit(async ({ tab, wrong }) => {
    await tab.getByRole("link", { name: "Policy" }).click();
    await tab.getByLabel("Served").selectOption("no");
    await tab.getByRole("rowheader", { name: "secret_tool" }).waitFor();
    await look(tab, "policy");
    await tab.emulateMedia({ colorScheme: "dark" });
    await tab.getByRole("link", { name: "Costs" }).click();
    await tab.getByRole("heading", { name: "Costs" }).waitFor();
    await look(tab, "costs-dark");
    await tab.getByRole("link", { name: "Tools" }).click();
    await tab.getByRole("heading", { name: "Tools" }).waitFor();
    await look(tab, "search-dark");
    assert.deepEqual(wrong, []);
  });
});

Deno.test("everything is reached by the keyboard", async () => {
  await visit(async ({ tab }) => {
    await tab.keyboard.press("Tab");
    assert.equal(await tab.evaluate("document.activeElement.textContent"), "Skip to the content");
    await tab.keyboard.press("Enter");
    assert.equal(await tab.evaluate("document.activeElement.id"), "main");
    await tab.keyboard.press("Tab");
    assert.equal(await tab.evaluate("document.activeElement.type"), "search");
    const answered = tab.waitForResponse((response) => response.url().endsWith("query=echo_text"));
    await tab.keyboard.type("echo_text");
    await (await answered).finished();
    const link = tab.getByRole("link", { name: "echo_text" });
    await link.waitFor();
    for (let presses = 0; presses < 5; presses++) {
      if (await tab.evaluate("document.activeElement.textContent") === "echo_text") break;
      await tab.keyboard.press("Tab");
    }
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: "echo_text" }).waitFor();
    assert.equal(await tab.evaluate("document.activeElement.id"), "main");
    const unnamed = await tab.evaluate(
      "[...document.querySelectorAll('input, select, textarea')]" +
        ".filter(({ labels }) => labels.length === 0).length",
    );
    assert.equal(unnamed, 0);
  });
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
    // All of that failed for who asked, and not because nobody answers
    await tab.reload();
    await tab.getByRole("heading", { name: "Tools", exact: true }).waitFor();
  });
});
