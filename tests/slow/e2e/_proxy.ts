/** A real nginx with the file of `deploy/`. Tests that start one need {@linkcode nginx}. */

import { join } from "node:path";
import { freePort } from "../../_free_port.ts";
import { programs } from "../../_requirements.ts";
import { until } from "../../_wait.ts";
import type { Scratch } from "../../e2e/_scratch.ts";
import { root } from "../../e2e/_server.ts";

/** For tests that start one. */
export const nginx = await programs({ nginx: ["-v"] });

/** The proxy of `deploy/`, in front of instances of a test. */
export class Proxy implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly url: string;

  constructor(child: Deno.ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.status;
  }
}

export async function startProxy(dir: Scratch, instances: readonly string[]): Promise<Proxy> {
  const port = freePort();
  const servers = instances.map((url) =>
    `server ${new URL(url).host} max_fails=1 fail_timeout=1s;`
  );
  const site = (await Deno.readTextFile(join(root, "deploy", "nginx.conf")))
    .replace(/(?: *server climax-.*\n)+/, `${servers.join("\n")}\n`)
    .replaceAll(/listen 80\b/g, `listen 127.0.0.1:${port}`);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${dir.path}/${name};`);
  const config = join(dir.path, "nginx.conf");
  await Deno.writeTextFile(
    config,
    `daemon off; pid ${dir.path}/nginx.pid; error_log ${dir.path}/error.log;
events { worker_connections 4096; }
http { access_log off; ${paths.join(" ")}
${site}
}`,
  );
  const child = new Deno.Command("nginx", { args: ["-c", config, "-p", dir.path], stderr: "null" })
    .spawn();
  const url = `http://127.0.0.1:${port}/mcp`;
  await until(async () => {
    const answer = await fetch(new URL("/healthz", url)).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.ok;
  }, "an answer of nginx");
  return new Proxy(child, url);
}
