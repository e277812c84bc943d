import assert from "node:assert/strict";
import fc from "../../_properties.ts";
import { Addresses, whyNotAddress } from "../../../src/sources/upstream/addresses.ts";

Deno.test("Addresses leaves those of the only server as they are", () => {
  const addresses = new Addresses(["one"]);
  assert.equal(addresses.serve("one", "file:///a"), "file:///a");
  assert.equal(addresses.qualify("one", "file:///a"), "one+file:///a");
});

Deno.test("Addresses of several servers have the server in front, behind ui:// in Apps", () => {
  const addresses = new Addresses(["one", "two"]);
  assert.equal(addresses.serve("one", "file:///a"), "one+file:///a");
  assert.equal(addresses.serve("two", "memo:insights"), "two+memo:insights");
  assert.equal(addresses.serve("two", "ui://clock/page.html"), "ui://two+clock/page.html");
  assert.equal(addresses.original("file:///a"), undefined);
  assert.equal(addresses.original("three+file:///a"), undefined);
});

Deno.test("Addresses are reversible and differ for any two servers and addresses", () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 5 });
  const uri = fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom("ui://a", "ui://b+c", "x+y://z"));
  fc.assert(fc.property(names, fc.array(uri, { maxLength: 5 }), (servers, uris) => {
    const addresses = new Addresses(servers);
    const all = servers.flatMap((server) => uris.map((uri) => ({ server, uri })));
    const seen = new Set<string>();
    for (const { server, uri } of all) {
      const served = addresses.serve(server, uri);
      assert.deepEqual(addresses.original(served), { server, uri });
      if (served.startsWith("ui://")) assert.equal(uri.startsWith("ui://"), true);
      seen.add(served);
    }
    assert.equal(seen.size, servers.length * new Set(uris).size);
  }));
});

Deno.test("Addresses writes a server's name in the characters of a scheme", () => {
  const addresses = new Addresses(["My Server", "my-server", "1", "a+b"]);
  for (const server of ["My Server", "my-server", "1", "a+b"]) {
    const served = addresses.serve(server, "file:///x");
    assert.match(served, /^[a-z][a-z0-9.-]*\+file:\/\/\/x$/);
    assert.deepEqual(addresses.original(served), { server, uri: "file:///x" });
  }
});

const climbing = [
  "file:///docs/../etc/passwd",
  "file:///docs/%2e%2e/etc/passwd",
  "file:///docs/%252e%252e/etc/passwd",
  "file:///docs/..%2fetc",
  "file:///docs/..\\etc",
  "file:///docs/..",
  "..",
  "repo:../x",
  "file:///docs/..?x",
];

Deno.test("whyNotAddress() refuses an address that climbs, however it is written", () => {
  for (const uri of climbing) assert.match(whyNotAddress(uri) ?? "", /climbs/, uri);
  assert.match(whyNotAddress("file:///a%00b") ?? "", /control/);
  assert.match(whyNotAddress("file:///a\u001b[2J") ?? "", /control/);
  assert.match(whyNotAddress(`file:///${"a".repeat(5000)}`) ?? "", /characters/);
  assert.match(whyNotAddress("file:///%2525252525252525252e") ?? "", /too often/);
});

Deno.test("whyNotAddress() accepts names with dots, spaces and letters of any language", () => {
  for (const uri of ["file:///a..b", "file:///...", "file:///ä ö", "file:///%C3%A4", "x://{a}"]) {
    assert.equal(whyNotAddress(uri), undefined, uri);
  }
});
