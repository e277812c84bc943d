/** How much of what servers define there is room for: of one, of all, and what of it is served. */

import assert from "node:assert/strict";
import { specOf } from "../../_upstream.ts";
import { statesOf, withinAll } from "../../../src/sources/upstream/_pool_members.ts";
import {
  maxAllDefinitionsLength,
  maxDefinitionLength,
  maxDefinitionsLength,
} from "../../../src/sources/upstream/_bounds.ts";
import { readDefinitions } from "../../../src/sources/upstream/definition.ts";
import type { LockComparison } from "../../../src/sources/upstream/lock.ts";

const large = (name: string, length = 250_000) => {
  return { name, description: "w".repeat(length), inputSchema: { type: "object" as const } };
};

const many = (count: number, name = "t") => {
  return Array.from({ length: count }, (_, at) => large(`${name}${at}`));
};

Deno.test("readDefinitions() has room for so many characters of one server", () => {
  const { definitions, warnings } = readDefinitions(many(40));
  assert.deepEqual(definitions.map(({ name }) => name), many(16).map(({ name }) => name));
  assert.deepEqual(warnings, ["24 tools left out: its definitions have over 4 MiB together"]);
  assert.ok(JSON.stringify(definitions).length < maxDefinitionsLength + maxDefinitionLength);
});

Deno.test("readDefinitions() has bounds that what is as large fits", () => {
  const ofSize = (name: string, size: number) => {
    return large(name, size - JSON.stringify(large(name, 0)).length);
  };
  const most = Array.from({ length: 16 }, (_, at) => ofSize(`t${at}`, maxDefinitionLength));
  const { definitions, warnings } = readDefinitions(most);
  assert.deepEqual([definitions.length, warnings], [16, []]);
  const more = readDefinitions([...most, ofSize("u", 100), ofSize("v", maxDefinitionLength + 1)]);
  assert.deepEqual(more.warnings, ["2 tools left out: its definitions have over 4 MiB together"]);
  const name = "n".repeat(256);
  const rest = [ofSize("v", maxDefinitionLength + 1), { ...large(name, 1), name: `${name}n` }, 5];
  const read = readDefinitions([large(name, 1), ...rest]);
  assert.deepEqual(read.definitions.map(({ name }) => name), [name]);
  assert.deepEqual(read.warnings.map((warning) => warning.slice(0, 6)), [
    "tool '",
    "tool '",
    "tool 4",
  ]);
});

Deno.test("readDefinitions() says a bounded number of warnings", () => {
  const { warnings } = readDefinitions(Array(2000).fill({ name: "" }));
  assert.equal(warnings.length, 21);
  assert.equal(warnings.at(-1), "and 1,980 warnings more");
  assert.equal(readDefinitions(Array(20).fill({ name: "" })).warnings.length, 20);
});

Deno.test("withinAll() has room for so many characters of all servers, the first ones first", () => {
  const held = (name: string): LockComparison => {
    const { definitions } = readDefinitions(many(16, name));
    return { listing: { definitions, description: name }, changed: [], fresh: [], isTrusted: true };
  };
  const servers = ["a", "b", "c", "d", "e", "f"].map(held);
  const fitted = withinAll([...servers.slice(0, 2), undefined, ...servers.slice(2)]);
  const counts = fitted.map((each) => each.comparison?.listing.definitions.length);
  assert.deepEqual(counts, [16, 16, undefined, 16, 16, 3, 0]);
  const total = counts.reduce<number>((sum, count = 0) => sum + count * 250_000, 0);
  assert.ok(total <= maxAllDefinitionsLength && total > maxAllDefinitionsLength - 250_100);
  assert.deepEqual(fitted.map((each) => each.warnings.length), [0, 0, 0, 0, 0, 1, 1]);
  assert.deepEqual(fitted.at(-1)!.warnings, [
    "16 tools left out: the definitions of all servers have over 16 MiB together",
  ]);
});

Deno.test("statesOf() has room for so many prompts and resources of all servers, the first ones first", () => {
  const sizes = [4, 4, 4, undefined, 3.9, 1, 0];
  const states = statesOf(sizes.map((millions, at) => {
    const spec = specOf({ name: `${at}`, transport: "stdio", command: "x" });
    const prompts = [{ name: "p", description: "w".repeat((millions ?? 0) * 1_000_000) }];
    const features = millions === undefined ? undefined : { prompts };
    const listing = { definitions: [], warnings: [], description: "", prior: undefined, features };
    return { spec, lock: undefined, listing, failure: undefined } as never;
  }));
  assert.deepEqual(states.map(({ features }) => features !== undefined), [
    ...[true, true, true, false, true],
    ...[false, false],
  ]);
  const warning =
    "its prompts and resources are left out: those of all servers have over 16 MiB together";
  assert.deepEqual(states.map(({ warnings }) => warnings), [[], [], [], [], [], [warning], [
    warning,
  ]]);
});
