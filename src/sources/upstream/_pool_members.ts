/** The upstream servers of a session, and what the config, the lock file and the bounds let each of them offer. */

import { formatProblem, type Problem } from "../../errors.ts";
import { plural } from "../../text/plural.ts";
import { ownProperty } from "../../text/own_property.ts";
import { firstRetryMs, maxAllDefinitionsLength, maxAllFeaturesLength } from "./_bounds.ts";
import type { Listing, ListingCache } from "./listing.ts";
import type { FeatureListing } from "./feature_definition.ts";
import {
  compareWithLock,
  definitionHash,
  explainMoved,
  isMoved,
  type LockComparison,
  type LockedServer,
  type LockFile,
  trustCommand,
} from "./lock.ts";
import { expandTransport, servedPart, type ServerSpec, type TransportSpec } from "./spec.ts";
import type { DefinedServer } from "./tools.ts";
import { protectCommand } from "../../process/protected_paths.ts";
import { inMib } from "./definition.ts";
import { errorOf } from "./error.ts";
import { Login, takesLogin } from "./login/login.ts";
import { serverSandbox } from "./spec.ts";
import { UpstreamServer, type UpstreamServerOptions } from "./server.ts";

export interface Member {
  spec: ServerSpec;
  lock: LockFile | undefined;
  readonly connections: ServerConnections;
  readonly reached: TransportSpec | undefined;
  listing: Listing | undefined;
  failure?: string | undefined;
  needsLogin?: boolean;
  /** False while `listing` is from the cache: the server itself has not answered yet. */
  isFresh: boolean;
  fetching?: Promise<void> | undefined;
  askedAgain: boolean;
  retryMs: number;
}

export async function newMember(
  { spec, lock }: LockedServer,
  cache: ListingCache | undefined,
  options: Pick<UpstreamServerOptions, "environment" | "clock" | "onListChanged">,
): Promise<Member> {
  const expanded = expandTransport(spec.transport, options.environment);
  const reached = expanded.ok ? expanded.value : undefined;
  if (reached?.kind === "stdio") {
    const words = [reached.command, ...reached.args];
    if (reached.sandbox === undefined) protectCommand(words, reached.cwd);
    else await serverSandbox(reached.sandbox).catch(() => {});
  }
  const cached = reached && await cache?.read(reached);
  const connections = new ServerConnections(spec, {
    ...options,
    prior: cached?.prior,
    wasSeen: cached !== undefined || ownProperty(lock?.servers, spec.name) !== undefined,
  });
  const listing = cached && servedPart(spec, cached);
  const asked = { isFresh: false, askedAgain: false, retryMs: firstRetryMs };
  return { spec, lock, connections, reached, listing, ...asked };
}

export function describeAbsence({ spec, lock, needsLogin, failure, connections }: Member): string {
  if (isMoved(lock, spec)) {
    return `${explainMoved(spec.name)}; a person accepts it: ${trustCommand(spec)}`;
  }
  return needsLogin && failure !== undefined ? failure : connections.own.absence;
}

type Known = Pick<Member, "spec" | "lock" | "listing" | "failure">;

export interface ServerState extends Readonly<Known> {
  readonly comparison: LockComparison | undefined;
  readonly features?: FeatureListing | undefined;
  readonly warnings: readonly string[];
  /** True if the server is not started, since the person has accepted another command or address. */
  readonly isMoved: boolean;
}

export function statesOf(members: readonly Known[]): ServerState[] {
  const fitted = withinAll(members.map(({ spec, lock, listing }) => {
    if (isMoved(lock, spec)) return undefined;
    return listing && compareWithLock(lock, spec.name, listing);
  }));
  const features = featuresWithinAll(members.map(({ listing }, at) => {
    return fitted[at]!.comparison?.isTrusted ? listing?.features : undefined;
  }));
  return members.map(({ spec, lock, listing, failure }, at) => {
    const { comparison, warnings } = fitted[at]!;
    const { features: own, warnings: more } = features[at]!;
    return {
      ...{ spec, lock, listing, failure, comparison, features: own, isMoved: isMoved(lock, spec) },
      warnings: [...listing?.warnings ?? [], ...warnings, ...more],
    };
  });
}

export function servedDefinitions(states: readonly ServerState[]): DefinedServer[] {
  return states.flatMap(({ spec, comparison, features }) => {
    return comparison === undefined ? [] : [{ spec, ...comparison.listing, features }];
  });
}

export function outcomeOf({ listing, failure }: Member): string {
  if (failure !== undefined) return "failed";
  return listing ? plural(listing.definitions.length, "tool") : "has not answered yet";
}

export function digestOf(states: readonly ServerState[]): string {
  return JSON.stringify(
    servedDefinitions(states).map(({ spec, description, definitions, features }) => {
      return [spec.name, description, definitions.map(definitionHash), features];
    }),
  );
}

export function warningTexts(states: readonly ServerState[]): ReadonlySet<string> {
  return new Set(states.flatMap((state) => [
    ...state.warnings.map((warning) => `Server '${state.spec.name}': ${warning}`),
    ...withheldOf(state).map(formatProblem),
  ]));
}

export function withheldOf({ spec, comparison }: Pick<ServerState, "spec" | "comparison">) {
  const { changed = [], fresh = [] } = comparison ?? {};
  const withheld = (names: readonly string[], what: string): Problem[] => {
    if (names.length === 0) return [];
    const count = plural(names.length, "tool");
    const message = `Server '${spec.name}': ${count} ${what}, not served: ${names.join(", ")}`;
    return [{ file: spec.file, message, hint: `Look and accept: ${trustCommand(spec)}` }];
  };
  return [
    ...withheld(changed, "changed since they were accepted"),
    ...withheld(fresh, "never accepted"),
  ];
}

function lengthOf(value: object): number {
  return JSON.stringify(value).length;
}

type Fitted = Pick<ServerState, "comparison" | "warnings">;

/** Leaves out tools once the definitions of all servers are too long together; servers named first keep theirs. */
export function withinAll(all: readonly (LockComparison | undefined)[]): Fitted[] {
  let rest = maxAllDefinitionsLength;
  return all.map((comparison) => {
    if (comparison === undefined) return { comparison, warnings: [] };
    const { definitions, description } = comparison.listing;
    const end = definitions.findIndex((definition) => {
      rest -= lengthOf(definition);
      return rest < 0;
    });
    if (end === -1) return { comparison, warnings: [] };
    rest = 0;
    const missing = plural(definitions.length - end, "tool");
    const most = inMib(maxAllDefinitionsLength);
    return {
      comparison: {
        ...comparison,
        listing: { definitions: definitions.slice(0, end), description },
      },
      warnings: [`${missing} left out: the definitions of all servers have over ${most} together`],
    };
  });
}

function featuresWithinAll(
  all: readonly (FeatureListing | undefined)[],
): readonly Pick<ServerState, "features" | "warnings">[] {
  let rest = maxAllFeaturesLength;
  return all.map((features) => {
    rest -= features === undefined ? 0 : lengthOf(features);
    if (features === undefined || rest >= 0) return { features, warnings: [] };
    rest = 0;
    const warning = "its prompts and resources are left out: those of all servers have over " +
      `${inMib(maxAllFeaturesLength)} together`;
    return { warnings: [warning] };
  });
}

/** At most this many clients are connected to one server; one more disconnects the client that is idle longest. */
const maxClients = 100;

export class ServerConnections {
  readonly own: UpstreamServer;
  readonly #login: Login | undefined;
  readonly #logins = new Map<string | undefined, Login>();
  /** The connections of clients that have a login of their own; the client that called last is at the end. */
  readonly #personal = new Map<string, UpstreamServer>();
  readonly #ending = new Set<Promise<void>>();

  constructor(
    private readonly spec: ServerSpec,
    private readonly options: Omit<UpstreamServerOptions, "login">,
  ) {
    this.#login = Login.of(spec, { ...options, peers: this.#logins });
    this.own = new UpstreamServer(spec, { ...options, login: this.#login });
  }

  get hasOtherLogin(): boolean {
    return this.#login?.hasChanged !== false;
  }

  get isPersonal(): boolean {
    return takesLogin(this.spec) && this.spec.auth?.shared !== true;
  }

  /** Returns the connection for the client `owner`. @throws {UpstreamError} if too many clients are calling */
  of(owner: string | undefined): UpstreamServer {
    if (owner === undefined || !this.isPersonal) return this.own;
    const known = this.#personal.get(owner);
    this.#personal.delete(owner);
    const server = known ?? this.#open(owner);
    this.#personal.set(owner, server);
    return server;
  }

  async remove(): Promise<void> {
    await Promise.all([this.own, ...this.#personal.values()].map((server) => server.remove()));
  }

  async close(): Promise<void> {
    const servers = [this.own, ...this.#personal.values()];
    await Promise.all([...servers.map((server) => server.close()), ...this.#ending]);
  }

  #open(person: string): UpstreamServer {
    if (this.#personal.size >= maxClients) this.#closeOne();
    const { environment, clock } = this.options;
    const login = Login.of(this.spec, { environment, person, peers: this.#logins });
    return new UpstreamServer(this.spec, { environment, login, ...(clock && { clock }) });
  }

  #closeOne(): void {
    const idle = [...this.#personal].find(([, server]) => server.isIdle);
    if (idle === undefined) {
      const text = `is called by ${maxClients} clients already, try again later`;
      throw errorOf(this.spec.name, "refused", text);
    }
    const [person, server] = idle;
    this.#personal.delete(person);
    this.#logins.delete(person);
    const ended = server.close().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
