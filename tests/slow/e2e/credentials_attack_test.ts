/**
 * Credentials of the person, and a directory whose files name hosts to send them to: what the bundled
 * configs of git, gh, kubectl, docker and curl only read with sends none. Over MCP, against the real
 * programs.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { say, whyNot } from "../../configs/_programs.ts";
import { connect } from "../../e2e/_clients.ts";
import { type Scratch, scratch, writeFiles } from "../../e2e/_scratch.ts";

const windows = Deno.build.os === "windows";

/** The secret that is sent to no server. */
const token = "hunter2hunter2";

/** A host that notes all that it is sent. */
function listen(): AsyncDisposable & { readonly port: number; readonly heard: string[] } {
  const heard: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify([...request.headers])}`);
    return new Response("fine");
  });
  return { port: server.addr.port, heard, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A home with credentials, and beside it a project whose files lead to `port`. */
async function project(place: Scratch, port: number): Promise<Record<"home" | "work", string>> {
  const [home, work] = [join(place.path, "home"), join(place.path, "work")];
  const host = `127.0.0.1:${port}`;
  const cluster = JSON.stringify({
    clusters: [{ name: "c", cluster: { server: `http://${host}` } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
  const files: Readonly<Record<string, string>> = {
    "home/.netrc": `machine 127.0.0.1 login ada password ${token}\n`,
    "home/.git-credentials": `http://ada:${token}@127.0.0.1:${port}\n`,
    "home/.docker/config.json": JSON.stringify({ auths: { [host]: { auth: btoa(`a:${token}`) } } }),
    "work/.netrc": `machine 127.0.0.1 login ada password ${token}\n`,
    "work/.curlrc": `header = "X-Stolen: ${token}"\nproxy = "http://${host}"\n`,
    "work/.kube/config": cluster,
    "work/kubeconfig": cluster,
    "work/.docker/config.json": JSON.stringify({ currentContext: "evil" }),
    "work/.env": `DOCKER_HOST=tcp://${host}\nKUBECONFIG=kubeconfig\nGH_HOST=${host}\n`,
    "work/compose.yaml": "services: {}\n",
    "work/.config/gh/hosts.yml": `${host}:\n  oauth_token: ${token}\n`,
  };
  await writeFiles(place.path, files);
  for (
    const words of [
      ["init", "--quiet", "--initial-branch=main"],
      ["commit", "--quiet", "--allow-empty", "--message=x"],
      ["remote", "add", "origin", `http://${host}/o/r.git`],
      ["remote", "add", "upstream", "https://github.com/o/r.git"],
      ["config", "remote.origin.gh-resolved", "base"],
      ["config", "remote.origin.promisor", "true"],
      ["config", `url.http://${host}/.insteadOf`, "https://github.com/"],
      ["config", "http.proxy", `http://${host}`],
      ["config", "http.extraHeader", `X-Stolen: ${token}`],
      ["config", "branch.main.remote", `http://${host}/o/r.git`],
      ["config", "branch.main.merge", "refs/heads/main"],
    ]
  ) {
    const said = await say(["git", ...words], work);
    assert.equal(said?.code, 0, said?.text);
  }
  return { home, work };
}

/** Has an agent call tools of `config` in the project; what the host was sent. */
async function heardOf(
  config: string,
  calls: (port: number) => readonly (readonly [tool: string, args: Record<string, unknown>])[],
): Promise<readonly string[]> {
  await using place = await scratch();
  await using host = listen();
  const { home, work } = await project(place, host.port);
  const env = {
    HOME: home,
    GH_TOKEN: token,
    GH_ENTERPRISE_TOKEN: token,
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
  };
  await Deno.writeTextFile(env.GIT_CONFIG_GLOBAL, "[credential]\n\thelper = store\n");
  await using client = await connect([config], { cwd: work, env });
  for (const [tool_name, args] of calls(host.port)) {
    const { text } = await client.call("climax_call", { tool_name, args });
    assert.doesNotMatch(text, /Unknown tool|validation failed/, `${tool_name}: ${text}`);
  }
  return host.heard;
}

async function sendsNothing(
  config: string,
  program: string,
  calls: readonly (readonly [tool: string, args: Record<string, unknown>])[],
): Promise<void> {
  const ignore = windows || await whyNot("git") !== undefined ||
    await whyNot(program) !== undefined;
  Deno.test(
    `what reads with ${config} sends no credential where the directory says`,
    { ignore },
    async () => assert.deepEqual(await heardOf(config, () => calls), []),
  );
}

await sendsNothing("git", "git", [
  ["git_status", { branch: true }],
  ["git_log", { patch: true }],
  ["git_show", { revision: "HEAD" }],
  ["git_show", { revision: "1".repeat(40) }],
  ["git_rev_parse", { revision: "main@{upstream}" }],
  ["git_remote_list", {}],
  ["git_branch_list", { all: true, verbose: true }],
  ["git_describe", { always: true }],
]);

await sendsNothing("gh", "gh", [
  ["gh_issue_list", {}],
  ["gh_pr_list", {}],
  ["gh_pr_status", {}],
  ["gh_pr_view", { number: 1 }],
  ["gh_run_list", {}],
  ["gh_release_list", {}],
  ["gh_repo_view", {}],
  ["gh_label_list", {}],
  ["gh_workflow_list", {}],
]);

await sendsNothing("kubectl", "kubectl", [
  ["kubectl_get", { kind: "pods" }],
  ["kubectl_contexts", {}],
  ["kubectl_cluster_info", {}],
  ["kubectl_version", {}],
]);

await sendsNothing("docker", "docker", [
  ["docker_ps", {}],
  ["docker_info", {}],
  ["docker_version", {}],
  ["docker_search", { term: "x" }],
]);

Deno.test("what curl sends has no credential of the person or of the directory", {
  ignore: windows || await whyNot("git") !== undefined || await whyNot("curl") !== undefined,
}, async () => {
  const heard = await heardOf("curl", (port) => [
    ["curl_get", { url: `http://127.0.0.1:${port}/a` }],
    ["curl_json", { url: `http://127.0.0.1:${port}/b`, follow: true }],
    ["curl_head", { url: `http://127.0.0.1:${port}/c` }],
  ]);
  assert.deepEqual(heard.map((each) => /\/([abc]) /.exec(each)?.[1]), ["a", "b", "c"]);
  assert.doesNotMatch(heard.join(), /authorization|stolen|hunter2/i);
});
