import assert from "node:assert/strict";
import { shellWord } from "../../src/text/shell_word.ts";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { approvalChoices, Approvals } from "../../src/call/approvals.ts";
import { FileStore } from "../../src/state/file_store.ts";
import { maxResults } from "../../src/ui/answers.ts";
import { pageFile } from "../../src/ui/serve.ts";
import { root } from "../_fixtures.ts";
import { linux, processTools } from "../_requirements.ts";
import { scratch, writeProgram } from "../e2e/_scratch.ts";
import { markup, type Page, startPage, startUi } from "./_page.ts";

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends exactly these headers, `Host` and `Origin` too. */
function send(page: Page, path: string, { method, headers, body }: Sent = {}): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const { hostname, port } = new URL(page.origin);
  const options = { hostname, port, path, method: method ?? "GET", headers: headers ?? {} };
  const req = request(options, (res) => {
    let text = "";
    res.setEncoding("utf8");
    res.on("data", (part: string) => text += part);
    res.on("end", () => resolve({ status: res.statusCode!, headers: res.headers, text }));
  });
  req.on("error", reject);
  req.end(body);
  return promise;
}

/** The headers that the page itself sends. */
function own({ origin, token }: Page): Record<string, string> {
  return { origin, "x-climax-token": token, "content-type": "application/json" };
}

async function post(page: Page, path: string, value: unknown): Promise<Reply> {
  return await send(page, path, {
    method: "POST",
    headers: own(page),
    body: JSON.stringify(value),
  });
}

async function get(page: Page, path: string): Promise<unknown> {
  const { status, text } = await send(page, path, { headers: own(page) });
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

function linesOf(text: string): Record<string, Record<string, unknown>>[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

async function audited(page: Page): Promise<Record<string, unknown>[]> {
  return linesOf(await Deno.readTextFile(page.audit));
}

async function withPage(use: (page: Page) => Promise<void>): Promise<void> {
  await using dir = await scratch();
  await using page = await startPage(dir.path);
  await use(page);
}

const isWindows = Deno.build.os === "windows";

const echo = { tool: "echo_text", args: { text: markup } };

Deno.test("climax ui answers nobody but its own page", async (t) => {
  await withPage(async (page) => {
    const good = own(page);
    const port = new URL(page.origin).port;
    const refused: readonly [what: string, headers: Record<string, string>, status: number][] = [
      ["another name of this machine", { ...good, host: `evil.example:${port}` }, 403],
      ["a name that begins as ours", { ...good, host: `127.0.0.1.evil.example:${port}` }, 403],
      ["a page elsewhere", { ...good, origin: "https://evil.example" }, 403],
      ["a page of another port", { ...good, origin: "http://127.0.0.1:1" }, 403],
      ["a page without an origin", { ...good, origin: "null" }, 403],
      ["what a browser calls cross-site", { ...good, "sec-fetch-site": "cross-site" }, 403],
      ["what a browser calls same-site", { ...good, "sec-fetch-site": "same-site" }, 403],
      ["no token", { origin: page.origin }, 401],
      ["an empty token", { ...good, "x-climax-token": "" }, 401],
      ["most of the token", { ...good, "x-climax-token": page.token.slice(0, -1) }, 401],
      ["more than the token", { ...good, "x-climax-token": `${page.token}A` }, 401],
      ["another token", { ...good, "x-climax-token": "A".repeat(43) }, 401],
      ["the token twice", { ...good, "x-climax-token": `${page.token}, ${page.token}` }, 401],
    ];
    for (const [what, headers, status] of refused) {
      await t.step(what, async () => {
        const body = JSON.stringify(echo);
        for (const path of ["/api/call", "/api/dry-run", "/api/answer"]) {
          const reply = await send(page, path, { method: "POST", headers, body });
          assert.equal(reply.status, status, path);
        }
        assert.equal((await send(page, "/api/audit", { headers })).status, status);
      });
    }
    await t.step("a call without an origin", async () => {
      const { origin: _, ...headers } = good;
      const body = JSON.stringify(echo);
      assert.equal((await send(page, "/api/call", { method: "POST", headers, body })).status, 403);
    });
    await t.step("the token in the address", async () => {
      assert.equal((await send(page, `/api/about?token=${page.token}`)).status, 401);
    });
    await t.step("a call by GET, and a preflight", async () => {
      assert.equal((await send(page, "/api/call", { headers: good })).status, 405);
      const preflight = { method: "OPTIONS", headers: { origin: "https://evil.example" } };
      const reply = await send(page, "/api/call", preflight);
      assert.equal(reply.status, 403);
      assert.equal("access-control-allow-origin" in reply.headers, false);
    });
    await t.step({
      name: "a body beyond the bound",
      // Windows resets a connection that is closed before all was read, answer and all
      ignore: isWindows,
      fn: async () => {
        const reply = await post(page, "/api/call", { ...echo, more: "x".repeat(1024 * 1024) });
        assert.equal(reply.status, 413);
      },
    });
    assert.deepEqual(await audited(page), []);
  });
});

Deno.test("climax ui makes the calls of an agent, and shows its log, policy and costs", async () => {
  await withPage(async (page) => {
    const dry = await post(page, "/api/dry-run", echo);
    const { ok, command, rule } = JSON.parse(dry.text);
    assert.deepEqual([ok, command, rule], [
      true,
      `printf %s ${shellWord(markup)}`,
      "default: enabled",
    ]);
    assert.deepEqual(await audited(page), []);
    const [answer] = linesOf((await post(page, "/api/call", echo)).text).slice(-1);
    assert.equal(answer!["result"]!["text"], markup);

    assert.deepEqual(await get(page, "/api/tool?name=secret_tool"), { near: [] });
    assert.deepEqual(await get(page, "/api/tool?name=ehco_text"), { near: ["echo_text"] });
    // An address has no credential, by its name or by its looks
    const args = { text: "a", api_key: "b", list: ["c", "https://ada:secret@host/"] };
    const linked = await post(page, "/api/dry-run", { tool: "echo_text", args });
    assert.deepEqual(JSON.parse(linked.text).link, { text: "a", list: ["c"] });
    const [unknown] = linesOf((await post(page, "/api/call", { tool: "secret_tool" })).text);
    assert.match(String(unknown!["result"]!["text"]), /^Unknown tool: secret_tool/);

    const count = { tool: "run_script", args: { script: "true", count: 11 } };
    const refusal = JSON.parse((await post(page, "/api/dry-run", count)).text);
    assert.equal(refusal.rule, "tools.run_script.args.count.max");

    const about = await get(page, "/api/about") as Record<string, unknown>;
    assert.deepEqual([about["configs"], about["servers"]], [
      [join(dirname(page.audit), "hostile.yaml"), "git"],
      [],
    ]);
    const [hostile] = about["programs"] as object[];
    // The one that the policy denies is not counted
    assert.deepEqual(hostile, {
      name: "hostile",
      description: `A program ${markup}`,
      category: "tests",
      tool_count: 4,
      effects: { read: 3, destructive: 1 },
      is_absent: false,
    });

    const log = await get(page, "/api/audit") as {
      calls: { entry: Record<string, unknown> }[];
      etag: string;
    };
    const again = await get(page, `/api/audit?etag=${encodeURIComponent(log.etag)}`);
    assert.deepEqual(again, { unchanged: true, running: [] });
    assert.deepEqual(
      log.calls.map(({ entry: { tool, client, decision } }) => [tool, client, decision]),
      [
        ["secret_tool", "climax ui", "refused"],
        ["echo_text", "climax ui", "allowed"],
      ],
    );
    const { decisions } = await get(page, "/api/policy") as {
      decisions: Record<string, unknown>[];
    };
    const denied = decisions.filter(({ served }) => !served);
    assert.deepEqual(denied.map(({ tool, rule }) => [tool, rule]), [["secret_tool", "deny"]]);
    const { answer: found, why } = await get(page, "/api/search?query=undo+a+commit") as {
      answer: { results: { tool_name: string }[] };
      why: Record<string, { score: number }>;
    };
    assert.deepEqual(found.results.map(({ tool_name }) => tool_name), Object.keys(why));
    const many = await get(page, "/api/search?query=git&limit=1000") as { answer: typeof found };
    assert.equal(many.answer.results.length, maxResults);
    // A person may look at every tool of a program, of which an agent gets the first
    const whole = await get(page, "/api/search?cli=git") as {
      answer: { results: unknown[] };
      listed: unknown[];
    };
    const [, git] = about["programs"] as { tool_count: number }[];
    assert.deepEqual([whole.answer.results.length, whole.listed.length], [10, git!.tool_count]);
    const costs = await get(page, "/api/costs") as { tools: number };
    assert.equal(costs.tools, decisions.length - 1);
    // SIGTERM ends a program at once on Windows
    assert.equal(await page.end(), isWindows ? 1 : 0);
  });
});

Deno.test("climax ui without options has the activity log, and shows what three policies would do", async () => {
  const tool = { command: "climax-nowhere", effect: "destructive", args: [] };
  const absent = {
    name: "absent",
    command: "",
    description: "Is not installed",
    tools: [{ name: "absent_tool", description: "Cannot run", ...tool }],
  };
  await using dir = await scratch({ "absent.yaml": JSON.stringify(absent) });
  const env = { CLIMAX_STATE_DIR: join(dir.path, "state") };
  await using page = await startUi(["absent.yaml", "git", "--no-browser"], { env, cwd: dir.path });
  const { programs } = await get(page, "/api/about") as { programs: { is_absent: boolean }[] };
  assert.deepEqual(programs.map((each) => each.is_absent), [true, false]);

  const calls = async (etag = "") => {
    return await get(page, `/api/audit?etag=${etag}`) as {
      readonly unchanged?: true;
      readonly file: string;
      readonly calls: { readonly entry: { readonly tool: string } }[];
      readonly etag: string;
    };
  };
  assert.deepEqual((await calls()).calls, []);
  for (const tool of ["git_status", "unknown_tool"]) await post(page, "/api/call", { tool });
  const { file, calls: shown, etag } = await calls();
  assert.match(file, /activity\.jsonl$/);
  assert.deepEqual(shown.map(({ entry }) => entry.tool), ["unknown_tool", "git_status"]);
  assert.equal((await calls(etag)).unchanged, true);

  const asked: string[] = [];
  const request = { tool: "git_reset_hard", args: { revision: "HEAD" } };
  for await (const line of follow(page, request)) {
    if (line.ask === undefined) continue;
    asked.push(line.ask.message.split("\n").slice(0, 2).join());
    await post(page, "/api/answer", { action: "decline", id: line.ask.id });
  }
  assert.match(asked.join(), /^Move .*,You call git_reset_hard \(destructive\) in the directory /);

  const under = async (preview: string) => {
    const { decisions = [] } = await get(page, `/api/policy?preview=${preview}`) as {
      decisions?: { tool: string; served: boolean; asks: boolean }[];
    };
    return ["git_log", "git_push", "absent_tool"].map((name) => {
      const { served, asks } = decisions.find(({ tool }) => tool === name) ?? {};
      return served ? asks ? "asks" : "runs" : served;
    });
  };
  assert.deepEqual(await under("ask"), ["runs", "asks", "asks"]);
  assert.deepEqual(await under("readonly"), ["runs", false, false]);
  assert.deepEqual(await under("open"), ["runs", "runs", "runs"]);
  // No other file is read
  assert.deepEqual(await under("/etc/passwd"), [undefined, undefined, undefined]);
});

/** Makes a call whose lines are read one by one, until it is left. */
async function* follow(page: Page, value: unknown) {
  const body = JSON.stringify(value);
  const response = await fetch(`${page.origin}/api/call`, {
    method: "POST",
    headers: own(page),
    body,
  });
  let rest = "";
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line);
  }
}

Deno.test("climax ui asks the person, and only a plain yes is one", async () => {
  await withPage(async (page) => {
    const answers: readonly [answer: object, outcome: string][] = [
      [{ action: "accept", content: { run: true } }, "accepted"],
      [{ action: "accept", content: { run: "true" } }, "declined"],
      [{ action: "accept" }, "declined"],
      [{ action: "cancel" }, "cancelled"],
      [{}, "declined"],
    ];
    for (const [answer, outcome] of answers) {
      for await (const line of follow(page, { tool: "remove_all" })) {
        if (line.ask === undefined) continue;
        assert.match(
          line.ask.message,
          /^Removes everything\nYou call remove_all \(destructive\) in .*\nExactly this runs:\n\["printf","removed"\]$/,
        );
        const other = await post(page, "/api/answer", { ...answer, id: "somebody-else" });
        assert.equal(other.status, 404);
        assert.equal((await post(page, "/api/answer", { ...answer, id: line.ask.id })).status, 200);
      }
      assert.equal((await audited(page)).at(-1)!["confirmation"], outcome);
    }
  });
});

Deno.test("climax ui shows the calls of agents that wait, and answers each once", async () => {
  await using dir = await scratch();
  await using page = await startPage(dir.path);
  const store = await FileStore.open(join(dir.path, "state", ".climax-logins"), "approvals");
  const approvals = new Approvals(store);
  const call = {
    owner: "o",
    refusalKey: "no",
    scopes: (["folder", "tool"] as const).map((choice) => ({ choice, key: choice, words: markup })),
    client: "cursor",
    tool: "git_push",
    words: markup,
    line: "",
    directory: "",
  };
  const waiting = async () => {
    const { waiting } = await get(page, "/api/approvals") as { waiting: { id: string }[] };
    return waiting.map(({ id }) => id);
  };
  try {
    assert.deepEqual(await waiting(), []);
    const ids: string[] = [];
    for (const key of approvalChoices) {
      const added = await approvals.add({ ...call, key });
      if ("id" in added) ids.push(added.id);
    }
    assert.deepEqual(await waiting(), ids);
    for (const value of [{}, null, { id: ids[0] }, { id: ids[0], choice: "maybe" }]) {
      assert.equal((await post(page, "/api/approve", value)).status, 404);
    }
    const foreign = await send(page, "/api/approve", {
      method: "POST",
      headers: { "x-climax-token": page.token, "content-type": "application/json" },
      body: JSON.stringify({ id: ids[0], choice: "yes" }),
    });
    assert.equal(foreign.status, 403);
    for (const [at, choice] of approvalChoices.entries()) {
      const answer = { id: ids[at], choice };
      assert.equal((await post(page, "/api/approve", answer)).status, 200);
      assert.equal((await post(page, "/api/approve", answer)).status, 404);
      const given = await approvals.use([choice]);
      assert.deepEqual([given?.choice, given?.how], [choice, "climax ui"]);
    }
    assert.deepEqual(await waiting(), []);
  } finally {
    approvals.close();
  }
});

processTools.test("climax ui ends a call whose page is left, and all of them when it ends", async () => {
  await withPage(async (page) => {
    const slow = { tool: "run_script", args: { script: "echo started; sleep 600" } };
    for await (const line of follow(page, slow)) {
      assert.match(line.progress.message, /started/);
      const { running } = await get(page, "/api/audit") as { running: { tool: string }[] };
      assert.deepEqual(running.map(({ tool }) => tool), ["run_script"]);
      break;
    }
    let ended: Promise<number> | undefined;
    let last: Record<string, unknown> = {};
    for await (const line of follow(page, slow)) {
      ended ??= page.end();
      last = line.result ?? {};
    }
    assert.equal(await ended, 0);
    assert.match(String(last["text"]), /cancelled/i);
    const endings = (await audited(page)).map(({ ending }) => ending);
    assert.deepEqual(endings, ["cancelled", "cancelled"]);
  });
});

Deno.test("the page names no other address, and never makes elements of text", () => {
  const names = [...Deno.readDirSync(join(root, "src/ui/page"))].map(({ name }) => name);
  for (const name of names) {
    const reply = pageFile(name === "index.html" ? "/" : `/${name}`);
    assert.equal(reply?.status, 200, name);
    // The name of a format, which nothing requests
    const text = reply.body!.replace('"http://www.w3.org/2000/svg"', "");
    assert.doesNotMatch(text, /https?:|\/\/[a-z]+\./i, name);
    assert.doesNotMatch(reply.body!, /innerHTML|outerHTML|insertAdjacent|document\.write|srcdoc/);
    assert.doesNotMatch(reply.body!, /\beval\b|Function\(|\bstyle="|\son[a-z]+="/);
  }
  assert.equal(names.length > 8, true);
});

Deno.test("climax ui sends its page with a policy that forbids everything else", async () => {
  await withPage(async (page) => {
    const { status, headers } = await send(page, "/");
    assert.equal(status, 200);
    const policy = String(headers["content-security-policy"]).split("; ");
    assert.equal(policy[0], "default-src 'none'");
    const allowed = policy.filter((rule) => !/ '(?:none|script)'$/.test(rule));
    assert.deepEqual(allowed, [
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
    ]);
    for (const path of ["/../deno.json", "/page/index.html", "//main.js", "/api/", "/%2e%2e/x"]) {
      assert.equal((await send(page, path, { headers: own(page) })).status, 404, path);
    }
  });
});

linux.test("climax ui hands its address to what opens addresses here", async () => {
  await using dir = await scratch();
  const news = join(dir.path, "news");
  await new Deno.Command("mkfifo", { args: [news] }).output();
  const opener = join(dir.path, "xdg-open");
  writeProgram(opener, `#!/bin/sh\nprintf '%s|' "$@" > '${news}'\n`);
  const env = { PATH: `${dir.path}:${Deno.env.get("PATH")}` };
  await using page = await startPage(dir.path, [], env);
  assert.equal(await Deno.readTextFile(news), `${page.url}|`);
});

Deno.test("a copied call has no argument that is read as an option", async () => {
  const { commandOf } = await import("../../src/ui/page/calls.js");
  assert.equal(commandOf("x", { a: 1 }), "call x a=1");
  assert.equal(commandOf("x", { "--mcp": "m.json" }), `call x --args '{"--mcp":"m.json"}'`);
});
