import assert from "node:assert/strict";
import { call } from "../../../src/call/call.ts";
import { maxSubscribed, refetchMs } from "../../../src/sources/upstream/_bounds.ts";
import { Subscriptions } from "../../../src/sources/upstream/notifications.ts";
import type { UpstreamConnection } from "../../../src/sources/upstream/connection.ts";
import { FakeClock, settle } from "../../_clock.ts";
import { featured, openServers } from "../../_upstream.ts";
import { within } from "../../_wait.ts";

Deno.test("Subscriptions passes news of a resource on seldom, and none of it is lost", async () => {
  const clock = new FakeClock();
  const subscriptions = new Subscriptions("one", clock);
  let count = 0;
  const stop = await subscriptions.add("note://a", () => count++);
  for (let time = 0; time < 1000; time++) subscriptions.onUpdated("note://a");
  subscriptions.onUpdated("note://b");
  assert.equal(count, 1);
  await clock.advance(refetchMs);
  assert.equal(count, 2);
  await clock.advance(refetchMs);
  assert.equal(count, 2);
  subscriptions.onUpdated("note://a");
  assert.equal(count, 3);
  stop!();
  await clock.advance(refetchMs);
  subscriptions.onUpdated("note://a");
  assert.equal(count, 3);
});

Deno.test("Subscriptions leave room for other clients than the one that follows most", async () => {
  const subscriptions = new Subscriptions("one", new FakeClock());
  const follow = (at: number, owner: string) => subscriptions.add(`note://${at}`, () => {}, owner);
  const greedy = Array.from({ length: maxSubscribed }, (_, at) => follow(at, "bob"));
  const results = await Promise.allSettled(greedy);
  const count = results.filter(({ status }) => status === "fulfilled").length;
  assert.equal(count, maxSubscribed / 2);
  (await follow(maxSubscribed, "ada"))();
});

/** A connection that notes its requests. */
function connection(sent: string[], { era = "legacy", subscribe = true } = {}) {
  const note = (text: string) => Promise.resolve(void sent.push(text));
  return {
    client: {
      getServerCapabilities: () => ({ resources: { subscribe } }),
      getProtocolEra: () => era,
      subscribeResource: ({ uri }: { uri: string }) => note(`+${uri}`),
      unsubscribeResource: ({ uri }: { uri: string }) => note(`-${uri}`),
      listen: async ({ resourceSubscriptions: uris }: { resourceSubscriptions: string[] }) => {
        await note(`listen ${uris}`);
        return { close: () => note(`close ${uris}`) };
      },
    },
  } as unknown as UpstreamConnection;
}

for (
  const [what, options, expected] of [
    ["of 2025", {}, ["+a", "+b", "one left", "-a", "+a", "again", "+b", "+a", "-b", "-a"]],
    ["of 2026-07-28", { era: "modern" }, [
      ...[
        "listen a",
        "listen a,b",
        "close a",
        "one left",
        "listen b",
        "close a,b",
        "listen b,a",
        "close b",
      ],
      ...["again", "listen b,a", "listen a", "close b,a", "close a"],
    ]],
    ["without subscriptions", { subscribe: false }, ["one left", "again"]],
  ] as const
) {
  Deno.test(`Subscriptions tells a server ${what} which resources are followed`, async () => {
    const clock = new FakeClock();
    const sent: string[] = [];
    const subscriptions = new Subscriptions("one", clock);
    await subscriptions.resume(connection(sent, options));
    const news: string[] = [];
    const follow = async (uri: string) => (await subscriptions.add(uri, () => news.push(uri)))!;
    const stops = [await follow("a"), await follow("a"), await follow("b")];
    const stop = async (end: () => void) => {
      end();
      await settle();
    };
    // The second time it is not its own any more
    await stop(stops[0]!);
    sent.push("one left");
    for (const at of [1, 1]) await stop(stops[at]!);
    const last = await follow("a");
    await stop(stops[1]!);
    sent.push("again");
    await subscriptions.resume(connection(sent, options));
    assert.deepEqual(news, ["b", "a"]);
    await stop(stops[2]!);
    await stop(last);
    assert.deepEqual(sent, expected);
    subscriptions.onUpdated("c");
    assert.equal(clock.timers.length, 2);
    assert.equal(clock.isHeld, false);
  });
}

Deno.test("a resource is followed at the next connection too, and by the policy", async () => {
  const policy = {
    file: "policy.yaml",
    text: "default: enabled\ndeny: ['resource:note://own/*']\n",
  };
  await using session = await openServers([featured("one")], { policy });
  const news: PromiseWithResolvers<void>[] = [Promise.withResolvers()];
  let count = 0;
  const onUpdate = () => {
    news[count]!.resolve();
    news[++count] = Promise.withResolvers();
  };
  const { features } = session;
  assert.equal(await features!.subscribe("resource:note://own/one", onUpdate), undefined);
  assert.equal(await features!.subscribe("resource:note://item/{id}", onUpdate), undefined);
  const stop = await features!.subscribe("resource:note://shared", onUpdate);
  assert.notEqual(stop, undefined);

  assert.equal((await call(session, { tool: "one__exit", args: {} })).isError, true);
  // Connects again, after which the resource may be another one
  await call(session, { tool: "one__links", args: {} });
  await within(news[0]!.promise, "the news of a new connection");
  await call(session, { tool: "one__touch", args: {} });
  await within(news[1]!.promise, "the news of a change");
  stop!();
});
