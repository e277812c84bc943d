import assert from "node:assert/strict";
import { once } from "node:events";
import { connectionTo, stateErrorOf } from "../../src/state/_connection.ts";
import { readStateAddress } from "../../src/state/address.ts";
import { within } from "../_wait.ts";
import { redisServer, startRedis } from "./_redis_server.ts";

/** An error as the client of the store throws it for the answer `text`. */
function replyError(text: string): Error & { previousErrors?: Error[] } {
  return Object.assign(new Error(text), { name: "ReplyError" });
}

Deno.test("stateErrorOf() finds out of the errors of a transaction that the store is full", () => {
  const dropped = replyError("EXECABORT Transaction discarded because of previous errors.");
  dropped.previousErrors = [replyError("OOM command not allowed when used memory > 'maxmemory'.")];
  assert.equal(stateErrorOf(dropped).failure, "full");
});

Deno.test("stateErrorOf() takes an error that is among its own previous errors", () => {
  // One answer, such as that a password is wanted, ends every command of a transaction
  const refused = replyError("NOAUTH Authentication required.");
  refused.previousErrors = [refused];
  assert.equal(stateErrorOf(refused).failure, "failed");
});

Deno.test({
  name: "a connection is made again when its server has become a replica, and not for other errors",
  ...redisServer,
  async fn() {
    await using redis = await startRedis();
    const connection = connectionTo(readStateAddress(`valkey://127.0.0.1:${redis.port}`));
    let times = 0;
    connection.on("ready", () => void times++);
    await connection.connect();
    await assert.rejects(connection.call("no-such-command"), /unknown command/);
    await connection.ping();
    assert.equal(times, 1);
    const again = within(once(connection, "ready"), "another connection");
    await redis.ask("REPLICAOF", "127.0.0.1", "1");
    await assert.rejects(connection.set("a", "b"), /READONLY/);
    await again;
    connection.disconnect();
  },
});
