/** The files of `deploy/`: what they say of climax is true, and Kustomize builds them. */

import { Command } from "@commander-js/extra-typings";
import assert from "node:assert/strict";
import { join } from "node:path";
import { load, loadAll } from "js-yaml";
import { define } from "../../src/cli/commands/run.ts";
import { Metrics } from "../../src/server/http/metrics.ts";
import { programs } from "../_requirements.ts";
import { root } from "../_fixtures.ts";

// deno-lint-ignore no-explicit-any
type Node = any;

async function read(path: string): Promise<string> {
  return await Deno.readTextFile(join(root, "deploy", path));
}

/** Parses a command line of climax as `climax run` does. */
function parse(args: readonly string[]): Record<string, unknown> {
  const command = define(new Command().exitOverride().configureOutput({ writeErr: () => {} }));
  command.parse([...args], { from: "user" });
  return command.opts();
}

Deno.test("the instances of compose.yaml are those of nginx.conf, and their options exist", async () => {
  const { services } = load(await read("compose.yaml")) as Node;
  const named = Object.keys(services).filter((name) => name.startsWith("climax-"));
  const proxied = [...(await read("nginx.conf")).matchAll(/server (climax-\d+):8080 /g)];
  assert.deepEqual(proxied.map(([, name]) => name), named);
  for (const name of named) {
    const { state, http, signingKey } = parse(services[name].command) as Node;
    assert.equal(new URL(state).hostname in services, true);
    assert.equal(http, "0.0.0.0:8080");
    assert.equal(
      services[name].volumes.some((each: string) => each.includes(`:${signingKey}:`)),
      true,
    );
  }
});

const { ignore } = await programs({ kubectl: ["version", "--client"] });

for (const folder of ["kubernetes", "kubernetes-state"]) {
  Deno.test(
    `Kustomize builds deploy/${folder}, which says what climax has`,
    { ignore },
    async () => {
      const args = ["kustomize", join(root, "deploy", folder)];
      const { stdout, stderr } = await new Deno.Command("kubectl", { args }).output();
      const all = loadAll(new TextDecoder().decode(stdout)) as Node[];
      const of = (kind: string) =>
        all.find((each) => each?.kind === kind && each.metadata.name === "climax");
      assert.notEqual(of("Deployment"), undefined, new TextDecoder().decode(stderr));
      const { spec } = of("Deployment").spec.template;
      const [container] = spec.containers;
      const { shutdownTimeout = 25, tokens, state, signingKey, audit } = parse(
        container.args,
      ) as Node;
      const { preStop } = container.lifecycle;
      assert.equal(
        spec.terminationGracePeriodSeconds > shutdownTimeout + preStop.sleep.seconds,
        true,
      );
      const files = [tokens, signingKey, audit].filter((path) => path !== undefined);
      const mounts = container.volumeMounts.map(({ mountPath }: Node) => `${mountPath}/`);
      for (const file of files) {
        assert.equal(mounts.some((mount: string) => file.startsWith(mount)), true);
      }
      for (const [name, probe] of Object.entries<Node>(container)) {
        if (name.endsWith("Probe")) assert.match(probe.httpGet.path, /^\/(?:healthz|readyz)$/);
      }
      if (state === undefined) return;
      const services = all.filter(({ kind }) => kind === "Service").map(({ metadata }) =>
        metadata.name
      );
      assert.equal(services.includes(new URL(state).hostname), true);
    },
  );
}

Deno.test("the autoscaler asks for a metric that there is", async () => {
  const { patches: [{ patch }] } = load(await read("kubernetes/queue/kustomization.yaml")) as Node;
  const [{ value }] = load(patch) as Node;
  assert.match(new Metrics().text(), new RegExp(`^${value.pods.metric.name} 0$`, "m"));
});
