import assert from "node:assert/strict";
import { once } from "node:events";
import { connectionTo, refusalOf, resultsOf, stateErrorOf } from "../../src/state/_connection.ts";
import { readStateAddress } from "../../src/state/address.ts";
import { deadlineMs, within } from "../_wait.ts";
import { redisServer, startRedis } from "./_redis_server.ts";

/** An error as the client of the store throws it for the answer `text`. */
function replyError(text: string): Error & { previousErrors?: Error[] } {
  return Object.assign(new Error(text), { name: "ReplyError" });
}

const coded = (code: string, text = code) => Object.assign(new Error(text), { code });

Deno.test("stateErrorOf() says what kind of failure it is, and not where the store is", () => {
  const shared = "The store that all instances share";
  const errors: readonly (readonly [error: unknown, failure: string, text: string])[] = [
    [new Error("Command timed out"), "late", `${shared} did not answer within 3 s`],
    [coded("ECONNREFUSED", "connect 10.0.0.1:6379"), "down", `${shared} cannot be reached`],
    ["nothing", "down", `${shared} cannot be reached`],
    [replyError("MISCONF Redis is configured"), "full", `${shared} is full`],
    [replyError("ERR no OOM here"), "failed", `${shared} refused an operation: ERR`],
  ];
  for (const [error, failure, text] of errors) {
    const found = stateErrorOf(error);
    assert.deepEqual([found.failure, found.message], [failure, text]);
    assert.equal(stateErrorOf(found), found);
  }
});

Deno.test("refusalOf() takes what time does not mend for a refusal, and nothing else", () => {
  for (const text of ["WRONGPASS no", "NOAUTH no", "NOPERM no", "ERR DB index is out of range"]) {
    assert.match(refusalOf(replyError(text))?.message ?? "", /^The store refuses climax: /, text);
  }
  for (const code of ["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT", "INVALID_CA"]) {
    assert.match(refusalOf(coded(code))?.message ?? "", /^The certificate of the store is not/);
  }
  const others = [
    coded("CERT_HAS_EXPIRED"),
    coded("ECONNREFUSED"),
    replyError("OOM"),
    "NOAUTH",
    undefined,
  ];
  assert.deepEqual(others.map(refusalOf), others.map(() => undefined));
});

Deno.test("connectionTo() sends nothing twice, waits for nothing, and names a host to TLS", () => {
  const optionsOf = (text: string) => connectionTo(readStateAddress(text)).options;
  // An error without a listener would be printed
  assert.equal(connectionTo(readStateAddress("valkey://host")).listenerCount("error"), 1);
  const { username, tls, ...options } = optionsOf("valkey://:word@host/2");
  const expected = {
    ...{ host: "host", port: 6379, db: 2, password: "word", lazyConnect: true },
    ...{ connectTimeout: 3000, commandTimeout: 3000, socketTimeout: 6000 },
    ...{ autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 },
    ...{ enableOfflineQueue: false, enableReadyCheck: false },
  };
  assert.deepEqual({ ...options, ...expected }, options);
  assert.deepEqual([username ?? undefined, tls], [undefined, undefined]);
  assert.deepEqual(optionsOf("valkeys://host").tls, { servername: "host" });
  assert.deepEqual(optionsOf("valkeys://[::1]").tls, {});
  assert.equal(optionsOf("valkey://ada@host").username, "ada");
  assert.throws(() => optionsOf("valkeys://host?ca=/no/such/file"), /cannot be used/);
});

Deno.test("a lost connection is tried again soon, and then ever more seldom", () => {
  const { retryStrategy } = connectionTo(readStateAddress("valkey://host")).options;
  for (const [attempt, ms] of [[1, 200], [4, 1600], [100, 5000]] as const) {
    const found = Number(retryStrategy!(attempt));
    assert.ok(found >= ms / 2 && found <= 1.5 * ms, `${found}`);
  }
});

Deno.test({
  name: "a connection is made again when its server has become a replica, and not for other errors",
  ...redisServer,
  async fn() {
    await using redis = await startRedis();
    const connection = connectionTo(readStateAddress(`valkey://127.0.0.1:${redis.port}`));
    const timeouts = ["connectTimeout", "commandTimeout", "socketTimeout"] as const;
    for (const name of timeouts) connection.options[name] = deadlineMs();
    let times = 0;
    connection.on("ready", () => void times++);
    await connection.connect();
    assert.doesNotMatch(await redis.ask("INFO", "commandstats"), /cmdstat_info:/);
    await assert.rejects(connection.call("no-such-command"), /unknown command/);
    await connection.watch("a");
    await redis.ask("SET", "a", "another's");
    await assert.rejects(resultsOf(connection.multi().get("a")), /The transaction was dropped/);
    assert.deepEqual(await resultsOf(connection.multi().get("a").get("b")), ["another's", null]);
    const wrong = resultsOf(connection.multi().get("a").incr("a"));
    await assert.rejects(wrong, /not an integer/);
    await connection.ping();
    assert.equal(times, 1);
    const again = within(once(connection, "ready"), "another connection");
    await redis.ask("REPLICAOF", "127.0.0.1", "1");
    await assert.rejects(connection.set("a", "b"), /READONLY/);
    await again;
    // A stream may have more than one error
    for (const text of ["one", "another"]) connection.stream.emit("error", new Error(text));
    connection.disconnect();
  },
});
