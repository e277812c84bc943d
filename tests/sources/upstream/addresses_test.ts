import assert from "node:assert/strict";
import fc from "../../_properties.ts";
import {
  Addresses,
  makeServedLink,
  whyNotAddress,
  withServedLinks,
} from "../../../src/sources/upstream/addresses.ts";

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

Deno.test("Addresses gives no server the form of another's name", () => {
  const docs = new Addresses(["Docs", "other"]).serve("Docs", "x:").slice(0, -3);
  const names = ["Docs", docs];
  for (const servers of [names, names.toReversed()]) {
    const addresses = new Addresses(servers);
    for (const server of servers) {
      const served = addresses.serve(server, "x:");
      assert.notEqual(served, "x:");
      assert.deepEqual(addresses.original(served), { server, uri: "x:" });
    }
  }
});

Deno.test("withServedLinks() serves the addresses of a server, and leaves what clients read", () => {
  let times = 0;
  const listed = () => {
    times++;
    return new Set(["https://listed/"]);
  };
  const served = makeServedLink("a", new Addresses(["a", "b"]), listed);
  assert.deepEqual(["x:1", "https://listed/", "https://other/", "data:,"].map(served), [
    ...["a+x:1", "a+https://listed/", "https://other/", "data:,"],
  ]);
  assert.equal(times, 1);
  const only = makeServedLink("a", new Addresses(["a"]), listed);
  assert.deepEqual(["x:1", "https://listed/"].map(only), ["x:1", "https://listed/"]);
  // The only server's need no look
  assert.equal(times, 1);
  const answer = (uri: string, page: string) => ({
    content: [
      { type: "resource_link", uri, name: "x" },
      { type: "resource", resource: { uri, text: "x" } },
      { type: "text", text: uri, uri },
      { type: "resource_link", name: "x" },
      { type: "resource", uri },
    ] as never,
    _meta: { ui: { resourceUri: page, visibility: ["app"] }, "ui/resourceUri": page, other: "x:1" },
  });
  const { content, _meta } = withServedLinks(answer("x:1", "ui://x"), served);
  const expected = answer("a+x:1", "ui://a+x");
  assert.deepEqual(_meta, expected._meta);
  assert.deepEqual((content as object[]).slice(0, 2), (expected.content as object[]).slice(0, 2));
  assert.deepEqual(
    (content as object[]).slice(2),
    (answer("x:1", "").content as object[]).slice(2),
  );
  assert.deepEqual(withServedLinks({}, served), {});
  assert.deepEqual(withServedLinks({ _meta: { ui: 5 } }, served), { _meta: { ui: 5 } });
});

const climbing = [
  ...["file:///docs/../etc/passwd", "file:///docs/%2e%2e/etc/passwd"],
  ...["file:///docs/%252e%252e/etc/passwd", "file:///docs/..%2fetc", "file:///docs/..\\etc"],
  ...["file:///docs/..", "..", "repo:../x", "file:///docs/..?x"],
];

Deno.test("whyNotAddress() refuses an address that climbs, however it is written", () => {
  for (const uri of climbing) assert.match(whyNotAddress(uri) ?? "", /climbs/, uri);
  assert.match(whyNotAddress("file:///a%00b") ?? "", /control/);
  assert.match(whyNotAddress("file:///a\u001b[2J") ?? "", /control/);
  assert.equal(whyNotAddress(`x:${"a".repeat(4095)}`), "has over 4096 characters");
  assert.match(whyNotAddress("file:///%2525252525252525252e") ?? "", /too often/);
});

Deno.test("whyNotAddress() accepts names with dots, spaces and letters of any language", () => {
  const most = [`x:${"a".repeat(4094)}`, "file:///%252541"];
  const names = ["file:///a..b", "file:///...", "file:///ä ö", "file:///%C3%A4", "x://{a}"];
  for (const uri of [...names, ...most]) {
    assert.equal(whyNotAddress(uri), undefined, uri);
  }
});

Deno.test("whyNotAddress() wants one spelling of 'ui:' addresses", () => {
  for (const uri of ["UI://a", "ui:/a", "ui:a", "Ui://a/b", "%75i://a", " ui://a"]) {
    assert.equal(whyNotAddress(uri), "is not written 'ui://…'", uri);
  }
  const others = [
    ...["ui://clock/page.html", "skill://deploy/SKILL.md", "uid:1", "file:///climax/x", "{+any}"],
  ];
  for (const uri of others) assert.equal(whyNotAddress(uri), undefined, uri);
});
