/** Two instances behind a real nginx: nothing depends on which one answers, and one may be killed. */

import assert from "node:assert/strict";
import { connect } from "node:net";
import { join } from "node:path";
import { peers, post } from "../../server/http/_server.ts";
import { type HttpProcess, startHttpProcess } from "../../e2e/_http.ts";
import { pidIn, within } from "../../_wait.ts";
import { nginx, type Proxy, startProxy } from "./_proxy.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { fixture } from "../../e2e/_server.ts";

async function startTwo(dir: Scratch): Promise<[HttpProcess, HttpProcess, Proxy]> {
  const start = (number: number) => {
    return startHttpProcess([fixture("probe.yaml"), "--audit", join(dir.path, `audit${number}`)]);
  };
  const [one, two] = [start(1), start(2)];
  return [one, two, await startProxy(dir, [await one.url(), await two.url()])];
}

nginx.test("one instance is killed: its calls fail clearly, all others are answered, nothing runs twice", async () => {
  await using dir = await scratch();
  const [one, two, proxy] = await startTwo(dir);
  await using _ = one, __ = two, ___ = proxy;
  const files = Array.from({ length: 12 }, (_, number) => join(dir.path, `held${number}`));
  const calls = files.map((file) => {
    const args = { tool_name: "probe_hold", args: { file, ms: 3_600_000 } };
    return post(proxy.url, "tools/call", { name: "climax_call", arguments: args }).then(
      async (response) => {
        const text = await response.text();
        return { status: response.status, text };
      },
    );
  });
  const pids = await Promise.all(files.map(pidIn));
  one.kill("SIGKILL");
  await one.ended();
  for (const file of files) await Deno.writeTextFile(`${file}.go`, "");
  const answers = await within(Promise.all(calls), "the answers to all calls");
  const failed = answers.filter(({ status }) => status === 502);
  const held = answers.filter(({ status, text }) => status === 200 && text.includes("held"));
  assert.equal(failed.length > 0 && held.length > 0, true, JSON.stringify(answers));
  assert.equal(failed.length + held.length, 12, JSON.stringify(answers));
  // Each wrote its file once; a second run would have another process id in it
  files.forEach((file, number) => assert.equal(Number(Deno.readTextFileSync(file)), pids[number]));

  for (const [, connectPeer] of peers) {
    await using peer = await connectPeer(proxy.url);
    for (let number = 0; number < 4; number++) {
      const args = { tool_name: "probe_args", args: { text: "still here" } };
      assert.match(await peer.call("climax_call", args), /still here/);
    }
  }
});

nginx.test("requests that proxy and server would read differently do not get through, nor those for another name", async () => {
  await using dir = await scratch();
  const [one, two, proxy] = await startTwo(dir);
  await using _ = one, __ = two, ___ = proxy;
  const { port } = new URL(proxy.url);
  const smuggled =
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: smuggled\r\nContent-Length: 0\r\n\r\n";
  const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  for (
    const request of [
      `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      `${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${smuggled}`,
      `${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      `${head}Content-Length: ${smuggled.length}\r\nContent-Length: 0\r\n\r\n${smuggled}`,
      `${head}Transfer-Encoding: chunked\r\n\r\n0_0\r\n\r\n${smuggled}`,
    ]
  ) {
    const socket = connect(Number(port), "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (text: string) => answer += text);
    socket.write(request);
    await within(new Promise((resolve) => socket.on("close", resolve)), request);
    assert.match(answer, /^HTTP\/1.1 (?:400|501) /, request);
    assert.equal(answer.match(/HTTP\/1\.1 /g)!.length, 1, `${request}\n---\n${answer}`);
  }
  const log = one.log + two.log;
  assert.doesNotMatch(log, /smuggled/);
  // Nor does it tell what instances are ready
  const asked = [["localhost", "/healthz"], ["evil.example", "/healthz"], ["localhost", "/readyz"]];
  const statuses = await Promise.all(asked.map(async ([host, path]) => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
    const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head));
    return (await new Response(connection.readable).text()).split(" ")[1];
  }));
  assert.deepEqual(statuses, ["200", "421", "404"]);
});
