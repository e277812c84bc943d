/**
 * The connections of one server over which clients of an HTTP server call with logins of their own. Each client has
 * its own connection, so no request of one can carry the token of another.
 */

import { errorOf } from "./error.ts";
import { Login } from "./login/login.ts";
import { UpstreamServer, type UpstreamServerOptions } from "./server.ts";
import type { ServerSpec } from "./spec.ts";

/** Most connections of one server; the one that was idle longest is closed for another. */
const maxConnections = 100;

export class PersonalServers {
  readonly #spec: ServerSpec;
  readonly #options: Pick<UpstreamServerOptions, "environment">;
  /** By client, the one that called last at the end. */
  readonly #servers = new Map<string, UpstreamServer>();
  readonly #ending = new Set<Promise<void>>();

  constructor(spec: ServerSpec, options: Pick<UpstreamServerOptions, "environment">) {
    this.#spec = spec;
    this.#options = options;
  }

  /** @throws {UpstreamError} if too many clients are calling */
  of(person: string): UpstreamServer {
    const known = this.#servers.get(person);
    this.#servers.delete(person);
    const server = known ?? this.#make(person);
    this.#servers.set(person, server);
    return server;
  }

  async close(): Promise<void> {
    const servers = [...this.#servers.values()];
    this.#servers.clear();
    await Promise.all([...servers.map((server) => server.close()), ...this.#ending]);
  }

  #make(person: string): UpstreamServer {
    if (this.#servers.size >= maxConnections) this.#closeOne();
    const login = Login.of(this.#spec, { ...this.#options, person });
    return new UpstreamServer(this.#spec, { ...this.#options, login });
  }

  #closeOne(): void {
    const idle = [...this.#servers].find(([, server]) => server.isIdle);
    if (idle === undefined) {
      const text = `is called by ${maxConnections} clients already, try again later`;
      throw errorOf(this.#spec.name, "refused", text);
    }
    const [person, server] = idle;
    this.#servers.delete(person);
    const ended = server.close().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
