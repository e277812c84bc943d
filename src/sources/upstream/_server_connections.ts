/** The connections to one server, one for each person: no request of one can carry the token of another. */

import { errorOf } from "./error.ts";
import { Login, takesLogin } from "./login/login.ts";
import { UpstreamServer, type UpstreamServerOptions } from "./server.ts";
import type { ServerSpec } from "./spec.ts";

/** Most clients with a connection; the one that was idle longest is closed for another. */
const maxClients = 100;

export class ServerConnections {
  /** The connection of the person who runs climax, by which the tools are listed. */
  readonly own: UpstreamServer;
  readonly #spec: ServerSpec;
  readonly #options: UpstreamServerOptions;
  readonly #login: Login | undefined;
  readonly #logins = new Map<string | undefined, Login>();
  /** By client, the one that called last at the end. */
  readonly #personal = new Map<string, UpstreamServer>();
  readonly #ending = new Set<Promise<void>>();

  constructor(spec: ServerSpec, options: Omit<UpstreamServerOptions, "login">) {
    this.#spec = spec;
    this.#options = options;
    this.#login = Login.of(spec, { ...options, peers: this.#logins });
    this.own = new UpstreamServer(spec, { ...options, login: this.#login });
  }

  /** False when a request would fail as the last one did, for want of a login. */
  get hasOtherLogin(): boolean {
    return this.#login?.hasChanged !== false;
  }

  /** Clients of an HTTP server have logins of their own. */
  get isPersonal(): boolean {
    return takesLogin(this.#spec) && this.#spec.auth?.shared !== true;
  }

  /** The connection of `owner`, or else of the operator. @throws {UpstreamError} if too many clients are calling */
  of(owner: string | undefined): UpstreamServer {
    if (owner === undefined || !this.isPersonal) return this.own;
    const known = this.#personal.get(owner);
    this.#personal.delete(owner);
    const server = known ?? this.#open(owner);
    this.#personal.set(owner, server);
    return server;
  }

  /** Ends the calls as cancelled, and then the connections: the server is in no config any more. */
  async remove(): Promise<void> {
    await Promise.all([this.own, ...this.#personal.values()].map((server) => server.remove()));
  }

  async close(): Promise<void> {
    const servers = [this.own, ...this.#personal.values()];
    await Promise.all([...servers.map((server) => server.close()), ...this.#ending]);
  }

  #open(person: string): UpstreamServer {
    if (this.#personal.size >= maxClients) this.#closeOne();
    const { environment, clock, logs } = this.#options;
    const login = Login.of(this.#spec, { environment, person, peers: this.#logins });
    return new UpstreamServer(this.#spec, {
      environment,
      login,
      ...(logs === undefined ? {} : { logs, owner: person }),
      ...(clock === undefined ? {} : { clock }),
    });
  }

  #closeOne(): void {
    const idle = [...this.#personal].find(([, server]) => server.isIdle);
    if (idle === undefined) {
      const text = `is called by ${maxClients} clients already, try again later`;
      throw errorOf(this.#spec.name, "refused", text);
    }
    const [person, server] = idle;
    this.#personal.delete(person);
    this.#logins.delete(person);
    const ended = server.close().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
