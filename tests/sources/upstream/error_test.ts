/** The words of a failed request: the reason of the network, nothing of a server's choice, and no secret. */

import assert from "node:assert/strict";
import { NetworkError, reasonOf } from "../../../src/net/send_once.ts";
import { errorOf, ownReasonOf, withoutValues } from "../../../src/sources/upstream/error.ts";

Deno.test("errorOf() has a first line for agents, bounded and without control sequences", () => {
  const error = errorOf("far", "ended", "ended:\u001b[31m no\nstderr", new Error("cause"));
  assert.deepEqual([error.message, error.firstLine, error.kind, (error.cause as Error).message], [
    "Server 'far' ended: no\nstderr",
    "Server 'far' ended: no",
    "ended",
    "cause",
  ]);
  const of = (length: number) => errorOf("far", "ended", "x".repeat(length - 13)).firstLine;
  assert.deepEqual([of(2000).length, of(2000).at(-1), of(2001).at(-1)], [2000, "x", "…"]);
});

Deno.test("reasonOf() and ownReasonOf() say how the network failed, and what the server answers", () => {
  const failed = new NetworkError("connection refused", "unsent");
  const coded = Object.assign(new Error("its words"), { code: -32603 });
  const refused = Object.assign(new Error("its words"), { status: 502, cause: coded });
  const errors: readonly (readonly [error: unknown, reason: string, own: string])[] = [
    [failed, "connection refused", "connection refused"],
    [new Error("sending", { cause: failed }), "connection refused", "connection refused"],
    [new TypeError("no cause"), "no cause", "no cause"],
    [coded, "its words", "it answers with the error -32603: 'its words'"],
    [refused, "its words", "it answers with HTTP 502"],
    [
      new Error("outer", { cause: coded }),
      "outer",
      "it answers with the error -32603: 'its words'",
    ],
  ];
  for (const [error, reason, own] of errors) {
    assert.deepEqual([reasonOf(error), ownReasonOf(error)], [reason, own]);
  }
});

Deno.test("withoutValues() names variables in place of their values, but for short ones", () => {
  const variables = new Map([["KEY", "secret"], ["PORT", "80801"]]);
  const shown = withoutValues("http://secret@host:80801/secret", variables);
  assert.equal(shown, "http://$KEY@host:80801/$KEY");
});
