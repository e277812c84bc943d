/** What is served at `/mcp`: one catalogue for each policy in use. */

import { ClimaxError, ExitCode } from "../errors.ts";
import { type Clients, type HttpClientIdentity, readClients } from "../server/http/client.ts";
import type { Surface } from "../server/surface.ts";
import type { SessionOptions } from "../session/session.ts";
import {
  type HttpCatalogue,
  type HttpCatalogueOptions,
  openHttpCatalogue,
  watchServed,
} from "./http_catalogue.ts";

/** The key of the only policy: it was read already, or there is none. */
const onlyPolicy = "";

interface ServedPoliciesOptions extends HttpCatalogueOptions {
  /** The path of the file of clients. */
  readonly clients?: string | undefined;
}

export class ServedPolicies {
  readonly #session: SessionOptions;
  readonly #options: ServedPoliciesOptions;
  readonly #catalogues = new Map<string, HttpCatalogue>();
  #clients: Clients | undefined;
  #unwatch = () => {};

  private constructor(session: SessionOptions, options: ServedPoliciesOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** @throws {ClimaxError} with every problem of clients, configs and policies */
  static async open(
    session: SessionOptions,
    clients: Clients | undefined,
    options: ServedPoliciesOptions,
  ): Promise<ServedPolicies> {
    const served = new ServedPolicies(session, options);
    served.#clients = clients;
    for (const each of clients === undefined ? [served.#only] : served.#policiesOf(clients)) {
      await served.#open(each);
    }
    const path = session.watch === false ? undefined : options.clients;
    const apply = (next: Clients) => served.#apply(next);
    served.#unwatch = await watchServed(path, readClients, apply);
    return served;
  }

  get catalogues(): readonly HttpCatalogue[] {
    return [...this.#catalogues.values()];
  }

  get hasClients(): boolean {
    return this.#clients !== undefined;
  }

  /** Nothing for a client without a policy. */
  surfaceFor(client: HttpClientIdentity): Surface | undefined {
    const key = this.#clients === undefined ? this.#only : this.#clients.policyFor(client);
    return key === undefined ? undefined : this.#catalogues.get(key)?.surface;
  }

  async close(): Promise<void> {
    this.#unwatch();
    await Promise.all(this.catalogues.map((each) => each.close()));
  }

  get #only(): string {
    const { policy } = this.#session;
    return typeof policy === "string" ? policy : onlyPolicy;
  }

  async #open(policy: string): Promise<HttpCatalogue> {
    const own = policy === onlyPolicy ? this.#session.policy : policy;
    const catalogue = await openHttpCatalogue({ ...this.#session, policy: own }, this.#options);
    this.#catalogues.set(policy, catalogue);
    return catalogue;
  }

  #policiesOf({ policies }: Clients): readonly string[] {
    if (policies.length > 0) return policies;
    const message = "The clients file assigns no policy, so no client could use a tool";
    throw new ClimaxError("Nothing is served", ExitCode.file, [{
      file: this.#options.clients!,
      message,
    }]);
  }

  async #apply(next: Clients): Promise<void> {
    for (const policy of this.#policiesOf(next)) {
      if (!this.#catalogues.has(policy)) (await this.#open(policy)).goLive();
    }
    this.#clients = next;
    for (const [policy, catalogue] of this.#catalogues) {
      if (next.policies.includes(policy)) continue;
      this.#catalogues.delete(policy);
      await catalogue.close();
    }
  }
}
