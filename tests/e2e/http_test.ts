/** The real program over HTTP: who sees what, how it ends, what it tells. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { programs, unix } from "../_requirements.ts";
import { post, RawConnection } from "../server/http/_server.ts";
import { freePort } from "../_free_port.ts";
import { isAlive, pidIn, until, within } from "../_wait.ts";
import { startHttpProcess } from "./_http.ts";
import { scratch } from "./_scratch.ts";
import { fixture, isBinary } from "./_server.ts";
import { newToken } from "./_token.ts";
import { makeAuthority, makeCertificate } from "../state/_certificates.ts";

const windows = Deno.build.os === "windows";
/** After SIGTERM, which ends a program at once there. */
const terminatedCode = windows ? 1 : 0;
const probe = fixture("probe.yaml");

/** An hour, in milliseconds. */
const hourMs = 3_600_000;

function hold(url: string, file: string, ms: number): Promise<Response> {
  const args = { tool_name: "probe_hold", args: { file, ms } };
  return post(url, "tools/call", { name: "climax_call", arguments: args });
}

Deno.test("each client sees, finds and is told of what its policy leaves, and the log says who", async () => {
  await using dir = await scratch();
  const path = (name: string) => join(dir.path, name);
  const tokens = path("tokens");
  const secret = {
    ada: await newToken(tokens, "ada"),
    bob: await newToken(tokens, "bob", "--scope", "reading"),
    eve: await newToken(tokens, "eve"),
  };
  await Deno.writeTextFile(path("all.yaml"), "default: enabled\n");
  await Deno.writeTextFile(path("few.yaml"), "tools: { probe_args: }\n");
  const clients = "clients: { ada: all.yaml }\nscopes: { reading: few.yaml }\n";
  await Deno.writeTextFile(path("clients.yaml"), clients);
  const audit = path("audit.jsonl");
  const who = ["--tokens", tokens, "--clients", path("clients.yaml"), "--audit", audit];
  await using server = startHttpProcess([probe, ...who]);
  const url = await server.url();
  const call = async (name: keyof typeof secret, tool: string, args: object) => {
    const headers = { authorization: `Bearer ${secret[name]}` };
    const response = await post(url, "tools/call", { name: tool, arguments: args }, headers);
    const body = await response.json();
    return { status: response.status, text: body.result?.content[0].text ?? body.error.message };
  };

  const found = async (name: "ada" | "bob") => {
    const { text } = await call(name, "climax_search", { query: "probe", limit: 50 });
    return JSON.parse(text).results.length as number;
  };
  assert.equal(await found("bob"), 1);
  assert.equal(await found("ada") > 10, true);
  const counted = JSON.parse((await call("bob", "climax_search", {})).text).summary[0].tool_count;
  assert.equal(counted, 1);
  const held = { tool_name: "probe_warn" };
  assert.match((await call("ada", "climax_call", held)).text, /warn/);
  assert.equal((await call("bob", "climax_call", held)).text, "Unknown tool: probe_warn");
  assert.deepEqual(await call("eve", "climax_search", {}), {
    status: 403,
    text: "Client 'eve' has no policy assigned",
  });

  server.kill("SIGTERM");
  assert.equal(await server.ended(), terminatedCode);
  const entries = (await Deno.readTextFile(audit)).trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual(entries.map(({ client, tool, decision }) => [client, tool, decision]), [
    ["ada", "probe_warn", "allowed"],
    ["bob", "probe_warn", "refused"],
  ]);
});

unix.test("SIGTERM: what is open is answered once more, new connections are refused, exit code 0", async () => {
  await using dir = await scratch();
  await using server = startHttpProcess([probe]);
  const url = await server.url();
  const file = join(dir.path, "pid");
  const held = hold(url, file, hourMs);
  await pidIn(file);
  const { port } = new URL(url);
  const request = (words: string, body: string) => {
    const type = "content-type: application/json\r\naccept: application/json, text/event-stream";
    return `${words} HTTP/1.1\r\nhost: localhost\r\n${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  using probed = await RawConnection.open(Number(port));
  using called = await RawConnection.open(Number(port));
  probed.write(request("GET /readyz", ""));
  await probed.received(/ready\n$/);
  server.kill("SIGTERM");
  await server.logged(/SIGTERM: ending/);
  await until(async () => {
    const refused = await RawConnection.open(Number(port)).catch(({ code }) => code);
    if (typeof refused !== "string") refused[Symbol.dispose]();
    return refused === "ECONNREFUSED";
  }, "a closed port");
  probed.write(request("GET /readyz", ""));
  assert.match(await probed.closed, /HTTP\/1.1 503 [^]*connection: close[^]*\r\n\r\nending\n$/i);
  called.write(request("POST /mcp", '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'));
  assert.match(await called.closed, /^HTTP\/1.1 200 [^]*connection: close[^]*climax_search/i);
  await Deno.writeTextFile(`${file}.go`, "");
  assert.equal((await held.then((response) => response.json())).result.content[0].text, "held");
  assert.equal(await server.ended(), 0);
});

unix.test("calls that do not finish within the drain are ended, with their programs", async () => {
  await using dir = await scratch();
  await using server = startHttpProcess([probe, "--shutdown-timeout", "0.5"]);
  const file = join(dir.path, "pid");
  const held = hold(await server.url(), file, hourMs).then((each) => each.text());
  const pid = await pidIn(file);
  server.kill("SIGTERM");
  assert.equal(await server.ended(), 0);
  assert.equal(isAlive(pid), false);
  assert.match(await held, /"isError":true/);
});

const refusals: readonly [args: readonly string[], code: number, text: RegExp][] = [
  [
    ["--http", "0.0.0.0:0"],
    2,
    /Refusing to listen on 0\.0\.0\.0 without authentication: .*\n {2}hint: Require tokens/,
  ],
  [["--http", "x"], 2, /Not an address to listen on: 'x'/],
  [
    ["--http", "0", "--tokens", "/no/such/file"],
    3,
    /\/no\/such\/file: Token file cannot be read: .*\n {2}hint: Make it with its first token: climax token new NAME --file \/no\/such\/file\n/,
  ],
  [["--http", "0", "--tls-cert", "x"], 2, /--tls-cert and --tls-key must be given together/],
  [["--http", "0", "--issuer", "https://x"], 2, /--issuer and --audience must be given together/],
  [["--http", "0", "--clients", "x"], 2, /--clients requires --tokens or --issuer: /],
  [["--http", "0", "--clients", "x", "--tokens", "y", "--policy", "z"], 2, /exclude each other/],
];

for (const [args, code, text] of refusals) {
  Deno.test(`no start with ${args.join(" ")}`, async () => {
    await using server = startHttpProcess([probe, ...args]);
    assert.equal(await server.ended(), code);
    assert.match(server.log, text);
  });
}

Deno.test("a port that is taken is a reason to end", async () => {
  await using first = startHttpProcess([probe]);
  const { port } = new URL(await first.url());
  await using second = startHttpProcess([probe, "--http", port]);
  assert.equal(await second.ended(), 3);
  assert.match(
    second.log,
    new RegExp(
      `Port 127.0.0.1:${port} cannot be listened on: another program listens there\\n {2}hint: `,
      "i",
    ),
  );
});

(await programs({ openssl: ["version"] })).test("TLS is served from files", async () => {
  await using dir = await scratch();
  const authority = await makeAuthority(dir.path, "authority");
  const { cert, key } = await makeCertificate(dir.path, "IP:127.0.0.1", authority);
  await using server = startHttpProcess([probe, "--tls-cert", cert, "--tls-key", key]);
  const { port, protocol } = new URL(await server.url());
  assert.equal(protocol, "https:");
  using client = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(authority.cert)] });
  const response = await fetch(`https://127.0.0.1:${port}/readyz`, { client } as RequestInit);
  assert.equal(await response.text(), "ready\n");
});

Deno.test("metrics are served apart and by profile, log lines are JSON where they are asked for", async () => {
  await using dir = await scratch({ "shop/x": "", "bank/x": "" });
  const port = String(freePort());
  const [shop, bank] = ["shop", "bank"].map((name) => {
    return { directory: join(dir.path, name), configs: [probe] };
  });
  const profiles = join(dir.path, "profiles.yaml");
  await Deno.writeTextFile(profiles, JSON.stringify({ profiles: { shop, bank } }));
  const options = ["--profiles", profiles, "--metrics", port, "--log-format", "json"];
  await using server = startHttpProcess([probe, ...options]);
  const url = await server.url();
  const calls = [
    ["/mcp", "probe_warn"],
    ["/mcp", "probe_fail"],
    ["/mcp", "no such tool"],
    ["/mcp/p/shop", "probe_warn"],
    ["/mcp/p/shop", "probe_warn"],
    ["/mcp/p/bank", "probe_warn"],
    ["/mcp/p/none", "probe_warn"],
  ] as const;
  for (const [path, tool_name] of calls) {
    const params = { name: "climax_call", arguments: { tool_name } };
    await post(new URL(path, url).href, "tools/call", params).then((each) => each.text());
  }
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then((each) => each.text());
  const lines = metrics.split("\n");
  assert.deepEqual(lines.filter((line) => line.startsWith("climax_calls_total{")).toSorted(), [
    `climax_calls_total{profile="bank",tool="probe_warn",outcome="ok"} 1`,
    `climax_calls_total{profile="shop",tool="probe_warn",outcome="ok"} 2`,
    `climax_calls_total{tool="probe_fail",outcome="error"} 1`,
    `climax_calls_total{tool="probe_warn",outcome="ok"} 1`,
    `climax_calls_total{tool="unknown",outcome="error"} 1`,
  ]);
  assert.ok(lines.includes(`climax_http_requests_total{status="200"} 6`), metrics);
  const page = await fetch(new URL("/metrics", url)).then((each) => each.text());
  assert.equal(page.includes("probe"), false);
  for (const line of server.log.trimEnd().split("\n")) {
    assert.deepEqual(Object.keys(JSON.parse(line)), ["time", "level", "message"]);
  }
});

const withoutSpans = windows || isBinary;
Deno.test("a call is a span below the caller's", { ignore: withoutSpans }, async () => {
  const spans = Promise.withResolvers<Record<string, unknown>>();
  const collector = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const body = await request.json().catch(() => ({}));
      for (const resource of body.resourceSpans ?? []) {
        for (const scope of resource.scopeSpans) {
          const call = scope.spans.find(({ name }: { name: string }) =>
            name === "tools/call climax_call"
          );
          if (call !== undefined) spans.resolve(call);
        }
      }
      return new Response("{}");
    },
  );
  await using server = startHttpProcess([probe], {
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.addr.port}`,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const params = { name: "climax_call", arguments: { tool_name: "probe_warn" } };
  await post(await server.url(), "tools/call", params, { traceparent }).then((each) => each.text());
  const { traceId, parentSpanId } = await within(spans.promise, "the span of the call");
  assert.deepEqual([traceId, parentSpanId], [
    "0af7651916cd43dd8448eb211c80319c",
    "b7ad6b7169203331",
  ]);
  await collector.shutdown();
});

Deno.test("a binary says that calls have no spans", { ignore: windows || !isBinary }, async () => {
  await using server = startHttpProcess([probe], { OTEL_DENO: "true" });
  await server.logged(/OTEL_DENO has no effect on a binary/);
});
