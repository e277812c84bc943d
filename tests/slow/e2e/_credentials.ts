/** Projects that say where requests go, and a host of this machine that sees whether credentials come. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type Ground, ground } from "../configs/_ground.ts";
import { whyNot } from "../../configs/_programs.ts";

const windows = Deno.build.os === "windows";

/** The secret of the person, which no server may get. */
export const token: string = "token-of-the-person";

/** A host of this machine: what it was asked for, and with which credentials. */
export interface Listener extends AsyncDisposable {
  readonly url: string;
  readonly asked: { readonly path: string; readonly credentials: string }[];
}

const versions = Object.fromEntries(
  ["4.0.0", "4.1.0"].map((version) => [version, {
    name: "left",
    version,
    dist: { tarball: "http://127.0.0.1:9/left.tgz", integrity: "sha512-AA==" },
  }]),
);

/** Knows the package `left` of npm and of Python, below any path. */
function listener(): Listener {
  const asked: Listener["asked"] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    const credentials = ["authorization", "proxy-authorization"]
      .map((name) => request.headers.get(name) ?? "").join("");
    asked.push({ path: pathname, credentials });
    if (pathname.endsWith("/simple/left/")) {
      const links = ["1.0", "1.1"].map((each) =>
        `<a href="left-${each}.tar.gz">left-${each}.tar.gz</a>`
      );
      return new Response(`<html><body>${links.join("")}</body></html>`, {
        headers: { "content-type": "text/html" },
      });
    }
    if (!/(?:\/|%2f)left$/.test(pathname)) return new Response("{}", { status: 404 });
    return Response.json({ name: "left", "dist-tags": { latest: "4.1.0" }, versions });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** An agent with `config` in a project of `files`, where `$URL` is the listener. */
export async function attack(
  config: string,
  program: string,
  { files, home = {}, env = {} }: {
    readonly files: Readonly<Record<string, string>>;
    readonly home?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
  },
  moves: (ground: Ground, host: Listener) => Promise<void>,
): Promise<void> {
  const reason = windows ? "no such programs on Windows" : await whyNot(program);
  Deno.test(`a project sends no credential of the person's away with the config ${config}`, {
    ignore: reason !== undefined,
  }, async () => {
    await using host = listener();
    const filled = (texts: Readonly<Record<string, string>>) => {
      const { host: name } = new URL(host.url);
      const entries = Object.entries(texts).map(([key, text]) =>
        [key, text.replaceAll("$URL", host.url).replaceAll("$HOST", name)] as const
      );
      return Object.fromEntries(entries);
    };
    const own = Object.fromEntries(
      Object.entries(filled(home)).map(([path, text]) => [join("../home", path), text]),
    );
    await using place = await ground([config], { ...filled(files), ...own }, {
      HOME: "$PLACE/home",
      ...filled(env),
    });
    await moves(place, host);
  });
  if (reason !== undefined) {
    // deno-lint-ignore no-console
    console.log(`skipped: credentials and ${config}: ${reason}`);
  }
}

/** Files of these names, all of the same lines. */
export function same(names: readonly string[], lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `${lines.join("\n")}\n`]));
}

/** Fails if any server was sent the token, in any form. */
export function assertNoCredential({ asked }: Listener): void {
  assert.deepEqual(asked.filter(({ credentials }) => credentials !== ""), []);
}
