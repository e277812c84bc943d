/** What agents called, on the page of `climax ui` in a real browser: days of a log, the question beside the call, its repetition. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Approvals } from "../src/call/approvals.ts";
import { FileStore } from "../src/state/file_store.ts";
import { markup, type Page, startUi } from "../tests/ui/_page.ts";
import { look, visit } from "./_visit.ts";

const day = 86_400_000;

/** A log of 30 days with what any program could have written there. */
function linesOf(): string {
  const common = {
    effect: "read",
    decision: "allowed",
    rule: "default: enabled",
    client: "cursor",
  };
  const sizes = { duration_ms: 12, stdout_bytes: 1, stderr_bytes: 0, tokens: 1500 };
  const calls = Array.from({ length: 290 }, (_, at) => ({
    time: new Date(Date.now() - day * (29 - Math.floor(at / 10)) - 60_000).toISOString(),
    ...common,
    tool: "git_log",
    arguments: { max_count: at, path: ["a b"] },
    argv: ["git", "log", `--max-count=${at}`],
    ...{ ending: "exited", exit_code: 0, ...sizes },
  }));
  const time = new Date(Date.now() - 1000).toISOString();
  const question = `Push to ${markup}`;
  const approval = { choice: "session", by: "ada", how: "climax approve", time };
  return [
    ...calls,
    {
      time,
      ...common,
      tool: "git_push",
      effect: "destructive",
      question,
      confirmation: "accepted",
      approval,
      ending: "exited",
      exit_code: 1,
      ...sizes,
    },
    {
      time,
      ...common,
      tool: "git_push",
      decision: "refused",
      rule: "deny",
      question,
      confirmation: "waiting",
      refusal: "Later",
      ...sizes,
    },
    {
      time,
      ...common,
      client: markup,
      tool: `\u202e${markup}`,
      decision: "refused",
      rule: "deny",
      refusal: markup,
      ...sizes,
    },
    {
      time: "never",
      tool: { toString: 1 },
      client: [],
      ending: {},
      duration_ms: "x",
      tokens: {},
      approval: 5,
    },
  ].map((entry) => JSON.stringify(entry)).join("\n") +
    '\n{"tool":"x","tokens":1e999,"duration_ms":-1e999,"time":"2099-01-01T00:00:00Z"}\nno JSON\n';
}

let folder = "";

async function start(dir: string): Promise<Page> {
  folder = join(dir, "state", ".climax-logins");
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  await Deno.writeTextFile(join(folder, "activity.jsonl"), linesOf(), { mode: 0o600 });
  const env = { CLIMAX_STATE_DIR: join(dir, "state") };
  return await startUi(["git", "--no-browser"], { env, cwd: dir });
}

Deno.test("the calls of all clients are drawn, found, opened and repeated, whatever stands in the log", async () => {
  await visit(async ({ page, tab, wrong }) => {
    await tab.getByRole("link", { name: "Calls" }).click();
    await tab.getByRole("heading", { name: "Calls", exact: true }).waitFor();
    await tab.getByText("295 of 295 calls; the last 200 of them are shown; 1 line is not of climax")
      .first().waitFor();
    const graph = tab.getByRole("img", { name: /^Calls by day: 29\d, at most \d+ a day$/ });
    assert.ok(await graph.locator("g").count() >= 29);
    assert.equal(await graph.locator("rect.failed").count(), 1);
    await look(tab, "30 days of calls");
    await tab.getByText("By tool").click();
    await tab.getByRole("rowheader", { name: "git_log" }).first().waitFor();
    await tab.getByText("By day, as a table").click();
    await look(tab, "the numbers of the pictures");

    // Filters hold for the list and the pictures
    await tab.getByLabel("Effect", { exact: true }).selectOption("destructive");
    await tab.getByText("1 of 295 calls").first().waitFor();
    await tab.locator(".scroll:last-of-type tbody summary").last().click();
    await tab.getByText("session by ada with climax approve").waitFor();
    assert.equal(
      await tab.locator("dd", { hasText: "Push to" }).textContent(),
      `Push to ${markup}`,
    );
    await look(tab, "an open call");
    await tab.getByLabel("Effect", { exact: true }).selectOption("");
    await tab.getByLabel("Outcome", { exact: true }).selectOption("waiting");
    await tab.getByText("1 of 295 calls").first().waitFor();
    await tab.getByLabel("Outcome", { exact: true }).selectOption("");
    await tab.getByLabel("Filter", { exact: true }).fill("since=soon");
    await tab.getByText("since= takes 30m, 12h, 7d or a date").waitFor();
    await tab.getByLabel("Filter", { exact: true }).fill("tool=git_l* max-count=289");
    await tab.getByText("1 of 295 calls").first().waitFor();

    await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await tab.locator("tbody summary").last().click();
    await tab.getByRole("button", { name: "Copy as command" }).click();
    await tab.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await tab.evaluate("navigator.clipboard.readText()");
    assert.match(String(copied), / call git_log --args '\{"max_count":289,"path":\["a b"\]\}'$/);
    await tab.getByRole("link", { name: "Repeat" }).click();
    await tab.getByRole("heading", { name: "git_log" }).waitFor();
    assert.equal(await tab.getByLabel("max_count").inputValue(), "289");
    // Nothing was run by opening the form
    const log = await Deno.readTextFile(join(folder, "activity.jsonl"));
    assert.match(log, /no JSON\n$/);
    await tab.getByRole("button", { name: "Run", exact: true }).click();
    await tab.getByRole("heading", { name: /^(Done|Failed)$/ }).waitFor();
    await tab.goto(`${page.origin}/#/calls`);
    await tab.getByText(/^296 of 296 calls/).first().waitFor();
    assert.deepEqual(wrong, []);
  }, start);
});

Deno.test("calls that wait are counted in the title and the icon, and a person is notified when asked for", async () => {
  await visit(async ({ tab, wrong }) => {
    const store = await FileStore.open(folder, "approvals");
    const approvals = new Approvals(store);
    const call = {
      ...{
        key: "k",
        refusalKey: "r",
        owner: "o",
        client: markup,
        tool: "git_push",
        pid: Deno.pid,
      },
      ...{
        line: "git push",
        directory: "/p",
        words: `Push ${markup}\nExactly this runs:\ngit push`,
      },
    };
    const added = await approvals.add(call);
    assert.ok("id" in added);
    await tab.getByRole("heading", { name: "1 call waiting for your yes" }).waitFor();
    assert.match(await tab.title(), /^\(1\) Tools – climax$/);
    assert.equal(await tab.locator("link[rel=icon]").getAttribute("href"), "/icon-waiting.svg");
    await tab.getByRole("link", { name: "Calls" }).click();
    await tab.getByRole("heading", { name: "Calls", exact: true }).waitFor();
    assert.match(await tab.title(), /^\(1\) Calls – climax$/);
    await look(tab, "a call that waits");
    await tab.getByRole("button", { name: "No", exact: true }).click();
    await tab.getByRole("heading", { name: "1 call waiting" }).waitFor({ state: "detached" });
    assert.match(await tab.title(), /^Calls – climax$/);
    assert.equal(await tab.locator("link[rel=icon]").getAttribute("href"), "/icon.svg");
    approvals.close();
    assert.deepEqual(wrong, []);
  }, start);
});
