/** A running server whose file of clients is edited: who is served, and what each sees. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { post } from "../server/http/_server.ts";
import { startHttpProcess } from "./_http.ts";
import { scratch } from "./_scratch.ts";
import { fixture } from "./_server.ts";
import { newToken } from "./_token.ts";

Deno.test("an edited file of clients is obeyed, a broken one is not", async () => {
  await using dir = await scratch();
  const path = (name: string) => join(dir.path, name);
  const tokens = path("tokens");
  const secret = { ada: await newToken(tokens, "ada"), bob: await newToken(tokens, "bob") };
  await Deno.writeTextFile(path("all.yaml"), "default: enabled\n");
  await Deno.writeTextFile(path("few.yaml"), "tools: { probe_args: }\n");
  const put = async (text: string) => {
    await Deno.writeTextFile(path("new"), text);
    await Deno.rename(path("new"), path("clients.yaml"));
  };
  await put("clients: { ada: all.yaml }\n");
  const options = ["--tokens", tokens, "--clients", path("clients.yaml"), "--log-level", "info"];
  await using server = startHttpProcess([fixture("probe.yaml"), ...options]);
  const url = await server.url();
  const found = async (name: keyof typeof secret) => {
    const headers = { authorization: `Bearer ${secret[name]}` };
    const request = { name: "climax_search", arguments: { query: "probe", limit: 50 } };
    const response = await post(url, "tools/call", request, headers);
    const { result } = await response.json();
    return result === undefined
      ? response.status
      : JSON.parse(result.content[0].text).results.length;
  };
  const all = await found("ada");
  assert.deepEqual([all > 10, await found("bob")], [true, 403]);

  await put("clients: { ada: all.yaml, bob: few.yaml }\n");
  await server.logged(/The changes are loaded/);
  assert.deepEqual([await found("ada"), await found("bob")], [all, 1]);

  await put("clients: { ada: all.yaml, bob: none.yaml }\n");
  await server.logged(/The changes are not loaded/);
  assert.deepEqual([await found("ada"), await found("bob")], [all, 1]);

  await put("clients: { bob: all.yaml }\n");
  await server.logged(/The changes are loaded[^]*The changes are loaded/);
  assert.deepEqual([await found("ada"), await found("bob")], [403, all]);
});
