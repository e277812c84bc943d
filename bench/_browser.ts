/** Debian's Chromium, or another at CHROMIUM, for the page of `climax ui`. */

import { type Browser, chromium } from "playwright-core";

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

/** Starts the browser; its caller closes it. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";
  return await chromium.launch({ executablePath, args: flags });
}
