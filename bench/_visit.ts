/** Opens the page of `climax ui` in a browser, over tools that try to get out of their place. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Page as Tab } from "playwright-core";
import { scratch } from "../tests/e2e/_scratch.ts";
import { type Page, startPage } from "../tests/ui/_page.ts";
import { startBrowser } from "./_browser.ts";
import { lowContrast } from "./_low_contrast.js";

/** A browser with the page open. */
export interface Visit {
  readonly page: Page;
  readonly tab: Tab;
  readonly browser: Browser;
  /** Requests to anywhere but the page's own port, errors, and what the content policy stopped. */
  readonly wrong: string[];
}

/** Opens the page in a browser of its own; `start` starts the program in a folder. */
export async function visit(
  use: (visit: Visit) => Promise<void>,
  start: (dir: string) => Promise<Page> = startPage,
): Promise<void> {
  await using dir = await scratch();
  await using page = await start(dir.path);
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

/** Pictures of all that is looked at are written into this folder, if it is named. */
const pictures = Deno.env.get("CLIMAX_PICTURES");

/** Nothing may reach over the edge at any width, and every text is legible in both colour schemes. */
export async function look(tab: Tab, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await tab.emulateMedia({ colorScheme });
    for (const width of [1440, 820, 390]) {
      await tab.setViewportSize({ width, height: 900 });
      const reach = await tab.evaluate("document.documentElement.scrollWidth");
      assert.equal(Number(reach) <= width, true, `${name} at ${width} reaches ${reach}`);
      const path = join(pictures ?? "", `${name.replaceAll(" ", "-")}-${width}-${colorScheme}.png`);
      if (pictures !== undefined) await tab.screenshot({ path });
    }
    assert.deepEqual(await tab.evaluate(lowContrast, 4.5), [], `${name}, ${colorScheme}`);
  }
  await tab.setViewportSize({ width: 1280, height: 900 });
  await tab.emulateMedia({ colorScheme: null });
}

/** Returns true if the element of this CSS selector has the focus. */
export async function focused(tab: Tab, selector: string): Promise<boolean> {
  return await tab.locator(`${selector}:focus`).count() === 1;
}

/** Presses Tab until what has the focus has this text, ten times at most. */
export async function tabTo(tab: Tab, text: string): Promise<void> {
  for (let presses = 0; presses < 10; presses++) {
    if (await tab.evaluate("document.activeElement.textContent") === text) return;
    await tab.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${text}`);
}
