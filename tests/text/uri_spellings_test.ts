import assert from "node:assert/strict";
import { assertLinear } from "../_growth.ts";
import { canonicalUri, decodeForms, spellingsOf } from "../../src/text/uri_spellings.ts";

Deno.test("decodedForms() decodes until nothing changes", () => {
  assert.deepEqual(decodeForms("a%2541"), ["a%2541", "a%41", "aA"]);
});

const canonical: [uri: string, sent: string][] = [
  ["FILE:///a", "file:///a"],
  ["file:a\\b", "file:///a/b"],
  ["file://localhost/./a", "file:///a"],
  [" note://a/./b", "note://a/b"],
  ["https://Example.org:443", "https://example.org/"],
  // Only escapes differ
  ["file:///my docs/%C3%A4", "file:///my docs/%C3%A4"],
  ["note://Own/One", "note://Own/One"],
  ["memo:insights", "memo:insights"],
  ["no address", "no address"],
];

Deno.test("canonicalUri() writes an address as programs that read it as a URL", () => {
  for (const [uri, sent] of canonical) assert.equal(canonicalUri(uri), sent, uri);
});

const spelled: [uri: string, among: string][] = [
  ["file:///%73ecret/x", "file:///secret/x"],
  ["file:///.%2Fsecret/x", "file:///secret/x"],
  ["file:///%2573ecret/x", "file:///secret/x"],
  ["file:////secret//x", "file:///secret/x"],
  ["file://nas/secret/x?q#f", "file:///secret/x"],
  ["https://u:p@example.org/x#f", "https://example.org/x"],
  ["file:///my%20docs/./x", "file:///my docs/x"],
  ["file:///my docs/x", "file:///my%20docs/x"],
  // WHATWG URLs refuse these, and other programs read their path
  ["file://user@/secret/x", "file:///secret/x"],
  ["file://h:80/secret/./x", "file:///secret/x"],
  ["file://a b/%73ecret//x", "file:///secret/x"],
  ["file://^/secret/x#f", "file:///secret/x"],
  ["db://u@h:9x/secret", "db://h:9x/secret"],
];

Deno.test("spellingsOf() has each form in which a server may read an address", () => {
  for (const [uri, among] of spelled) {
    assert.equal(spellingsOf(uri)[0], uri);
    assert.equal(spellingsOf(uri).includes(among), true, `${uri}: ${spellingsOf(uri)}`);
  }
  assert.deepEqual(spellingsOf("note://shared/x"), ["note://shared/x"]);
});

Deno.test("spellingsOf() takes linear time for an address that URLs escape", async () => {
  await assertLinear((size) => {
    let count = 0;
    return () => spellingsOf(`x://h/${count++}/${"{+b}a".repeat(size)}`);
  }, { size: 800 });
});
