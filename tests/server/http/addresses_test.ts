import assert from "node:assert/strict";
import { nameCheck } from "../../../src/server/http/addresses.ts";

const local = ["localhost:80", "127.0.0.1:80", "[::1]:80"];

/** Addresses to listen on, and the hosts of requests that are answered there. */
const answered: readonly (readonly [listening: string, hosts: readonly string[]])[] = [
  ["127.0.0.1", local],
  ["::1", local],
  ["0.0.0.0", [...local, "0.0.0.0:80"]],
  ["::", [...local, "[::]:80"]],
  ["10.1.2.3", ["10.1.2.3:80"]],
];

for (const [listening, hosts] of answered) {
  Deno.test(`nameCheck() at ${listening} answers its own names and those that are given`, () => {
    const check = nameCheck({ host: listening, port: 80 }, { hosts: ["given"], origins: [] });
    for (const host of [...hosts, "given"]) assert.equal(check(host, undefined), undefined, host);
    const others = ["10.9.9.9:80", "evil.example", ...local].filter((host) =>
      !hosts.includes(host)
    );
    for (const host of others) assert.match(check(host, undefined) ?? "", /--allow-host/, host);
  });
}

Deno.test("nameCheck() answers pages of this machine only where no other reaches it", () => {
  const ask = (host: string, origin: string) => {
    return nameCheck({ host, port: 80 }, { hosts: [], origins: [] })("127.0.0.1:80", origin);
  };
  assert.equal(ask("127.0.0.1", "http://localhost:3000"), undefined);
  assert.match(ask("0.0.0.0", "http://localhost:3000") ?? "", /--allow-origin/);
  assert.match(ask("127.0.0.1", "http://evil.example") ?? "", /--allow-origin/);
});
