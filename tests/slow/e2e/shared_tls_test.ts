/** A real Redis over TLS, with certificates made for the test: which ones are accepted, and what is said. */

import assert from "node:assert/strict";
import { freePort } from "../../_free_port.ts";
import { needs, outputOf, programs } from "../../_requirements.ts";
import { makeAuthority, makeCertificate } from "../../state/_certificates.ts";
import { keyFile } from "../../state/_key_file.ts";
import { type RedisServer, redisServer, startRedis } from "../../state/_redis_server.ts";
import { startHttpProcess } from "../../e2e/_http.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { fixture } from "../../e2e/_server.ts";

const openssl = await programs({ openssl: ["version"] });
/** A server without TLS ends at the option, and one with it because no port is given. */
const tls = redisServer.ignore ? redisServer : needs(
  "redis-server with TLS",
  new TextDecoder().decode(
    (await outputOf("redis-server", ["--port", "0", "--tls-port", "0"]))?.stdout,
  )
    .includes("not listen"),
);
const password = "kept-from-the-log";

interface Store extends AsyncDisposable {
  readonly redis: RedisServer;
  readonly folder: string;
  readonly port: number;
  /** The file of the authority that has signed. */
  readonly authority: string;
  /** The file of one that has not. */
  readonly other: string;
}

/** A store with a certificate for `names`. */
async function start(names: string, options: readonly string[] = []): Promise<Store> {
  const dir = await scratch();
  const authority = await makeAuthority(dir.path, "authority");
  const other = await makeAuthority(dir.path, "other");
  const { cert, key } = await makeCertificate(dir.path, names, authority);
  const port = freePort();
  const files = [
    "--tls-cert-file",
    cert,
    "--tls-key-file",
    key,
    "--tls-ca-cert-file",
    authority.cert,
  ];
  const clients = options.length > 0 ? options : ["--tls-auth-clients", "no"];
  const redis = await startRedis({
    options: ["--tls-port", String(port), ...files, ...clients, "--requirepass", password],
  });
  return {
    redis,
    folder: dir.path,
    port,
    authority: authority.cert,
    other: other.cert,
    async [Symbol.asyncDispose]() {
      await redis[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** Starts climax with the store at `address`. */
function startWith({ folder }: Store, address: string) {
  const [scheme, rest] = address.split("://");
  const state = [
    "--state",
    `${scheme}://:$STATE_PASSWORD@${rest}`,
    "--signing-key",
    keyFile(folder),
  ];
  return startHttpProcess([fixture("probe.yaml"), ...state], { STATE_PASSWORD: password });
}

/** Returns what a failing start writes; the password is not in it. */
async function refused(store: Store, address: string): Promise<{ code: number; log: string }> {
  await using server = startWith(store, address);
  const code = await server.ended();
  assert.equal(server.log.includes(password), false, server.log);
  return { code, log: server.log };
}

Deno.test("a store over TLS is used under its name and its address, with its authority", {
  ignore: tls.ignore || openssl.ignore,
}, async () => {
  await using store = await start("DNS:localhost,IP:127.0.0.1");
  for (const [scheme, host] of [["valkeys", "localhost"], ["rediss", "127.0.0.1"]] as const) {
    await using server = startWith(
      store,
      `${scheme}://${host}:${store.port}/?ca=${store.authority}`,
    );
    await server.logged(/The shared store is up/);
    const ready = await fetch(new URL("/readyz", await server.url()));
    assert.equal(await ready.text(), "ready\n");
    assert.equal(server.log.includes(password), false, server.log);
  }
});

Deno.test(
  "a store is refused with another authority, under another name, and without a certificate of it",
  { ignore: tls.ignore || openssl.ignore },
  async () => {
    await using store = await start("DNS:store.example");
    const at = `valkeys://localhost:${store.port}`;
    const hint = "\n  hint: Name its authority in --state with ?ca=FILE, and its host as the " +
      "certificate does\n";
    const chain =
      "error: The certificate of the store is not accepted: self-signed certificate in " +
      `certificate chain${hint}`;
    assert.deepEqual(await refused(store, `${at}/?ca=${store.other}`), { code: 2, log: chain });
    assert.deepEqual(await refused(store, at), { code: 2, log: chain });
    for (const host of ["localhost", "127.0.0.1"]) {
      const address = `valkeys://${host}:${store.port}/?ca=${store.authority}`;
      const { code, log } = await refused(store, address);
      assert.equal(code, 2);
      assert.match(log, /^error: .* not accepted: .* does not match certificate's altnames: .*\n/);
      assert.ok(log.endsWith(hint), log);
    }
    // The key of the authority is not its certificate
    const wrong = store.authority.replace(/pem$/, "key");
    const file = await refused(store, `${at}/?ca=${wrong}`);
    assert.equal(file.code, 3);
    assert.match(
      file.log,
      /^.*authority\.key: Certificate of 'ca' in --state cannot be read: .*\n/,
    );
  },
);
