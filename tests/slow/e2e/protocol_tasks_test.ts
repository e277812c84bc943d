/**
 * The protocol's own tasks through the real program, over HTTP: with the client of the extension's authors, and by hand
 * where it would never go.
 */

import { envelope, post } from "../../server/http/_server.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type ConnectedMcpSessionPort,
  type TaskEnabledSession,
  withTasks,
} from "@modelcontextprotocol/ext-tasks/client";
import { startHttpProcess } from "../../e2e/_http.ts";
import { isAlive, pidIn } from "../../_wait.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { waits, writeWorks } from "./_works.ts";
import { unix } from "../../_requirements.ts";

// deno-lint-ignore no-explicit-any
type Answer = { readonly result?: any; readonly error?: any };

/** Sends a request of 2026-07-28 from a client of these capabilities. */
type Send = (method: string, params: object, capabilities?: object) => Promise<Answer>;

const extension = "io.modelcontextprotocol/tasks";
const knows = { extensions: { [extension]: {} } };

function framed(params: object, capabilities: object): object {
  return {
    ...params,
    _meta: { ...envelope, "io.modelcontextprotocol/clientCapabilities": capabilities },
  };
}

interface Served extends AsyncDisposable {
  readonly dir: string;
  readonly send: Send;
}

async function placed(): Promise<{ dir: string; file: string } & AsyncDisposable> {
  const dir = await scratch();
  const tools = [["soft", 0.2], ["patient", 3600]].map(([name, seconds]) =>
    `{ name: ${name}, command: sh -c, soft_timeout: ${seconds}, timeout: 7200, args: [SCRIPT] }`
  );
  const file = await writeWorks(dir.path, ...tools);
  return { dir: dir.path, file, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

async function serve(): Promise<Served> {
  const place = await placed();
  const server = startHttpProcess([place.file, "--classic"]);
  return {
    dir: place.dir,
    async send(method, params, capabilities = knows) {
      const url = await server.url();
      const { name, taskId } = params as { name?: string; taskId?: string };
      const response = await post(url, method, { ...framed(params, capabilities) }, {
        "mcp-name": name ?? taskId ?? "",
      });
      const text = await response.text();
      return JSON.parse(text.startsWith("{") ? text : text.match(/^data: (\{.*)$/m)![1]!);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** The extension's own client over `send`. */
function sessionOver(send: Send): TaskEnabledSession {
  const port: ConnectedMcpSessionPort = {
    endpointId: "climax",
    taskCapabilities: { generation: "v2", capabilities: {} },
    async dispatch(request) {
      const { method, params } = request as { method: string; params: object };
      const { result, error } = await send(method, params);
      return error === undefined ? { kind: "result", result } : { kind: "error", error };
    },
    onServerRequest: () => () => {},
    onNotification: () => () => {},
    onInvalidated: () => () => {},
    invalidated: false,
  };
  return withTasks(port);
}

unix.test("a client of tasks gets one, and its result", async () => {
  await using served = await serve();
  const { send, dir } = served;
  const { result: { capabilities } } = await send("server/discover", {});
  assert.deepEqual(capabilities.extensions, { [extension]: {} });
  await using session = sessionOver(send);

  assert.equal((await session.callTool("patient", { script: "echo quick" })).kind, "immediate");
  const executions = await Promise.all(
    ["back", "soft"].map((tool) => session.callTool(tool, { script: `${waits}; exit 3` })),
  );
  assert.deepEqual(executions.map(({ kind }) => kind), ["task", "task"]);
  const settled = executions.map((execution) => execution.settle());
  await Deno.writeTextFile(join(dir, "go"), "");
  for (const { outcome } of await Promise.all(settled)) {
    assert.equal(outcome.status, "completed");
    // An error of the tool's is no failure of the task
    const { content, isError } = (outcome as unknown as { result: Record<string, unknown> }).result;
    assert.deepEqual(content, [{ type: "text", text: "half\nwhole\n\n[exit code: 3]" }]);
    assert.equal(isError, true);
  }
});

unix.test("a client of tasks cancels one", async () => {
  await using served = await serve();
  const { send, dir } = served;
  await using session = sessionOver(send);
  const execution = await session.callTool("back", { script: "echo $$ > own; exec sleep 3600" });
  const pid = await pidIn(join(dir, "own"));
  await execution.cancel();
  assert.equal((await execution.result()).status, "cancelled");
  assert.equal(isAlive(pid), false);
});

unix.test("what is no task, or not asked for by one who knows them", async () => {
  await using served = await serve();
  const { send } = served;
  const { result } = await send(
    "tools/call",
    { name: "back", arguments: { script: "echo" } },
    {},
  );
  const [, taskId] = /"id": "(j\w+)"/.exec(result.content[0].text)!;
  for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
    const unknown = await send(method, { taskId: "j000000000000" });
    assert.equal(unknown.error.code, -32602);
    assert.match(unknown.error.message, /^Job 'j000000000000' not found/);
    const undeclared = await send(method, { taskId }, {});
    assert.equal(undeclared.error.code, -32021);
    assert.deepEqual(undeclared.error.data, { requiredCapabilities: knows });
    assert.equal((await send(method, { taskId: 7 })).error.code, -32602);
  }
  for (const method of ["tasks/list", "tasks/result"]) {
    assert.equal((await send(method, { taskId })).error.code, -32601);
  }
  const notifications = { taskIds: [taskId] };
  assert.equal((await send("subscriptions/listen", { notifications }, {})).error.code, -32021);
});
