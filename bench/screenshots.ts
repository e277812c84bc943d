/**
 * Takes pictures of each view of `climax ui`, 1280 and 390 pixels wide, light and dark, over a project that
 * it makes: a repository, a config of its own, a policy, and calls. `deno task screenshots [DIR [VIEW...]]`.
 */

import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page as Tab } from "playwright-core";
import { environment } from "../tests/e2e/_server.ts";
import { scratch } from "../tests/e2e/_scratch.ts";
import { type Page, startUi } from "../tests/ui/_page.ts";
import { startBrowser } from "./_browser.ts";

const devices: Readonly<Record<string, BrowserContextOptions>> = {
  "1280": { viewport: { width: 1280, height: 900 } },
  "390": {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  },
};

/** A view: its address, and what is done there before the picture. */
type View = readonly [name: string, hash: string, act?: (tab: Tab) => Promise<void>];

const views: readonly View[] = [
  ["tools", "#/tools"],
  ["search", "#/tools?query=undo+a+commit"],
  ["form", "#/tools/git_log"],
  ["form-open", "#/tools/git_log", async (tab) => {
    await tab.getByText(/^\d+ more arguments/).click();
    await tab.getByLabel("oneline").check();
    await tab.getByLabel("oneline").scrollIntoViewIfNeeded();
  }],
  ["dry-run", "#/tools/git_log", async (tab) => {
    await tab.getByLabel("max_count").fill("5");
    await tab.getByLabel("since").fill("2 weeks ago");
    await tab.getByRole("button", { name: "Show what would be run" }).click();
    await tab.getByText("nothing was run").waitFor();
  }],
  ["result", "#/tools/git_log", async (tab) => {
    await tab.getByLabel("max_count").fill("5");
    await run(tab, "Done");
  }],
  ["refused", "#/tools/git_log", async (tab) => {
    await tab.getByLabel("max_count").fill("500");
    await run(tab, "Refused");
  }],
  ["running", "#/tools/notes_watch", async (tab) => {
    await tab.getByRole("button", { name: "Run", exact: true }).click();
    await tab.getByRole("log").getByText("note").waitFor();
  }],
  ["question", "#/tools/git_branch_delete", async (tab) => {
    await tab.getByLabel("name").fill("draft");
    await tab.getByRole("button", { name: "Run", exact: true }).click();
    await tab.getByRole("dialog").waitFor();
  }],
  ["calls", "#/calls"],
  ["policy", "#/policy"],
  ["costs", "#/costs"],
];

async function run(tab: Tab, outcome: string): Promise<void> {
  await tab.getByRole("button", { name: "Run", exact: true }).click();
  await tab.getByRole("heading", { name: outcome }).waitFor();
}

const notes = {
  name: "notes",
  command: "",
  description: "Notes of this project",
  category: "notes",
  tools: [{
    name: "notes_watch",
    command: "sh -c",
    description: "Print each note as it is written",
    effect: "read",
    args: [{ name: "script", positional: true, default: "echo a first note; sleep 60" }],
  }],
};

const policy = `default: enabled
deny: [git_push, docker_rm, docker_rmi]
confirm: destructive
tools:
  git_log:
    args: { max_count: { max: 100 } }
`;

async function makeProject(dir: string): Promise<string[]> {
  const env = environment();
  const git = async (...args: string[]) => {
    await new Deno.Command("git", { args, cwd: dir, env, clearEnv: true }).output();
  };
  await git("init", "--initial-branch", "main");
  const texts = ["Start", "Describe the install", "Fix a typo", "Read dates", "Sort by date"];
  for (const text of texts) await git("commit", "--allow-empty", "--message", text);
  await git("branch", "draft");
  await Deno.writeTextFile(join(dir, "notes.yaml"), JSON.stringify(notes));
  await Deno.writeTextFile(join(dir, "policy.yaml"), policy);
  return [
    "git",
    "docker",
    "npm",
    "files",
    "jq",
    "ripgrep",
    "notes.yaml",
    "--policy",
    "policy.yaml",
  ];
}

async function takeAll(browser: Browser, { origin, token }: Page, folder: string): Promise<void> {
  for (const [device, options] of Object.entries(devices)) {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [name, hash, act] of chosen) {
        const context = await browser.newContext({ ...options, colorScheme });
        const tab = await context.newPage();
        await tab.goto(`${origin}/#token=${token}`);
        await tab.getByRole("heading", { name: "Tools" }).waitFor();
        await tab.goto(`${origin}/${hash}`);
        await tab.locator("main:not([aria-busy]) h1").waitFor();
        await act?.(tab);
        // As after a click with a mouse, which shows no ring round the heading
        await tab.evaluate("document.activeElement.blur()");
        await tab.screenshot({ path: join(folder, `${name}-${device}-${colorScheme}.png`) });
        await context.close();
      }
    }
  }
}

const [folder = join("dist", "screenshots"), ...names] = Deno.args;
const chosen = views.filter(([name]) => names.length === 0 || names.includes(name));
await Deno.mkdir(folder, { recursive: true });
await using dir = await scratch();
const words = await makeProject(dir.path);
await using page = await startUi([...words, "--no-open"], {
  audit: join(dir.path, "calls.jsonl"),
  cwd: dir.path,
});
const browser = await startBrowser();
try {
  await takeAll(browser, page, folder);
} finally {
  await browser.close();
}
