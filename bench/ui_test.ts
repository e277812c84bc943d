/**
 * The page of `climax ui` in a real browser: every view, by mouse and by keyboard, wide and narrow,
 * light and dark, with tools that try to get out of their place. `deno task ui-test`; it needs Debian's
 * Chromium, or another at CHROMIUM. `deno task screenshots` takes pictures of each view.
 */

import assert from "node:assert/strict";
import type { Browser, Page as Tab } from "playwright-core";
import { scratch } from "../tests/e2e/_scratch.ts";
import { markup, type Page, startPage } from "../tests/ui/_page.ts";
import { startBrowser } from "./_browser.ts";
import { lowContrast } from "./_low_contrast.js";

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
  const browser = await startBrowser();
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

/** Nothing may reach over the edge at either width, and every text is legible in both colour schemes. */
async function look(tab: Tab, name: string): Promise<void> {
  for (const width of [1280, 390]) {
    await tab.setViewportSize({ width, height: 900 });
    const reach = await tab.evaluate("document.documentElement.scrollWidth");
    assert.equal(Number(reach) <= width, true, `${name} at ${width} reaches ${reach}`);
  }
  await tab.setViewportSize({ width: 1280, height: 900 });
  for (const colorScheme of ["light", "dark"] as const) {
    await tab.emulateMedia({ colorScheme });
    assert.deepEqual(await tab.evaluate(lowContrast, 4.5), [], `${name}, ${colorScheme}`);
  }
  await tab.emulateMedia({ colorScheme: null });
}

/** Whether the element of this CSS selector has the focus. */
async function focused(tab: Tab, selector: string): Promise<boolean> {
  return await tab.locator(`${selector}:focus`).count() === 1;
}

/** Presses Tab until what has the focus has this text, ten times at most. */
async function tabTo(tab: Tab, text: string): Promise<void> {
  for (let presses = 0; presses < 10; presses++) {
    if (await tab.evaluate("document.activeElement.textContent") === text) return;
    await tab.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${text}`);
}

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
    await other.getByRole("cell", { name: "cancelled" }).waitFor();
    await other.close();
    await tab.getByText("Stopped").first().waitFor();
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
    await tab.getByRole("heading", { name: "Done" }).waitFor();
    await tab.getByRole("link", { name: "Calls" }).click();
    await tab.getByRole("heading", { name: "Calls" }).waitFor();
    await tab.getByText("person: accepted").waitFor();
    await look(tab, "calls");
    await tab.getByLabel("Decision").selectOption("refused");
    await tab.getByText("2 of 3 calls").first().waitFor();
    await tab.getByLabel("Filter").fill("closed");
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
    await tab.getByRole("link", { name: "Costs" }).click();
    await tab.getByRole("heading", { name: "Costs" }).waitFor();
    await tab.getByRole("cell", { name: /^\d,\d{3}$/ }).first().waitFor();
    await look(tab, "costs");
    assert.deepEqual(wrong, []);
  });
});

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
        await tab.locator("main:not([aria-busy]) h1:focus").waitFor();
        // A new view begins at its top
        assert.equal(await tab.evaluate("scrollY"), 0, view);
        await tab.evaluate("scrollTo(0, 1e6)");
        const y = await top();
        assert.equal(y >= 0 && y < 40, true, `${view} at ${width}: ${y}`);
      }
    }
  });
});

Deno.test("a form fits a screen: common arguments first, the others folded", async () => {
  await visit(async ({ page, tab, wrong }) => {
    await tab.goto(`${page.origin}/#/tools/git_log`);
    const run = tab.getByRole("button", { name: "Run", exact: true });
    await run.waitFor();
    const { y, height } = (await run.boundingBox())!;
    assert.equal(y + height < 900, true);
    assert.equal(await tab.getByLabel("oneline").isVisible(), false);
    await tab.getByText("14 more arguments").click();
    await tab.getByLabel("oneline").check();
    await tab.getByText("14 more arguments, 1 set").waitFor();
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
        const path = "/fields.js";
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
  await visit(async ({ tab, wrong }) => {
    // One may type at once
    assert.equal(await focused(tab, "input[type=search]"), true);
    const answered = tab.waitForResponse((response) => response.url().endsWith("query=echo_text"));
    await tab.keyboard.type("echo_text");
    await (await answered).finished();
    await tab.getByRole("link", { name: "echo_text" }).waitFor();
    await tabTo(tab, "echo_text");
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: "echo_text" }).waitFor();
    assert.equal(await focused(tab, "h1"), true);
    // The ring is round the heading, and not as wide as the page
    const { width } = (await tab.locator("h1").boundingBox())!;
    assert.equal(width < 400, true);
    const unnamed = await tab.evaluate(
      "[...document.querySelectorAll('input, select, textarea')]" +
        ".filter(({ labels }) => labels.length === 0).length",
    );
    assert.equal(unnamed, 0);
    await tab.getByLabel("text (required)").focus();
    await tab.keyboard.type("a/b");
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
    for (const view of ["Policy", "Costs"]) {
      await tab.getByRole("link", { name: view, exact: true }).focus();
      await tab.keyboard.press("Enter");
      await tab.getByRole("heading", { name: view }).waitFor();
      await tab.keyboard.press("/");
      await tab.locator("input[type=search]:focus").waitFor();
    }
    // Costs have no search field, so the key leads to the tools
    await tab.getByRole("heading", { name: "Tools" }).waitFor();
    await tab.locator(".skip").focus();
    await tab.keyboard.press("Enter");
    assert.equal(await focused(tab, "h1"), true);
    assert.deepEqual(wrong, []);
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
