/** The options of serving over HTTP by the key of their value: each must be the one its option sets. */

import { Command } from "@commander-js/extra-typings";
import assert from "node:assert/strict";
import { type HttpFlags, httpFlagsOf, withHttpOptions } from "../../src/cli/http_options.ts";

const expected: Required<HttpFlags> = {
  http: "127.0.0.1:0",
  tokens: "tokens.yaml",
  issuer: "https://id.example",
  audience: "climax",
  untypedTokens: true,
  clients: "clients.yaml",
  profiles: "profiles.yaml",
  allowHost: ["a.example", "b.example"],
  allowOrigin: ["https://a.example"],
  tlsCert: "cert.pem",
  tlsKey: "key.pem",
  shutdownTimeout: 2.5,
  metrics: "127.0.0.1:9464",
  clientRequests: 64,
  clientRate: 600,
  state: "valkey://127.0.0.1",
  signingKey: "signing.key",
};

Deno.test("httpFlagsOf() has each option by its key, and there is no other", () => {
  const command = withHttpOptions(new Command());
  const words = Object.entries(expected).flatMap(([key, value]) => {
    const option = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const values = [value].flat();
    return values.flatMap((each) => each === true ? [option] : [option, String(each)]);
  });
  command.parse(words, { from: "user" });
  assert.deepEqual(httpFlagsOf(command.opts()), expected);
  const keys = command.options.map((option) => option.attributeName());
  assert.deepEqual(keys.toSorted(), Object.keys(expected).toSorted());
});
