/** Serves configs over HTTP: one catalogue for each policy and each profile in use. */

import { resolve } from "node:path";
import { io, systemPath } from "../io.ts";
import { FairSemaphore } from "../async/semaphore.ts";
import { type CallContext, defaultCallSettings, ToolPermits } from "../call/context.ts";
import { openAuditLog } from "../call/audit_log.ts";
import { type ExitCode, FileError, UsageError } from "../errors.ts";
import { readTextFile } from "../files/text_file.ts";
import { log, say } from "../log.ts";
import { confirmationWords } from "../policy/policy_file.ts";
import { dropPermissions, exposureTo } from "../process/permissions.ts";
import { protect } from "../process/protected_paths.ts";
import { auditOptions, exportsSpans } from "../process/environment.ts";
import type { ProfileScope } from "../process/profile.ts";
import { parseAddress, parseOrigin } from "../process/address.ts";
import {
  type Authenticator,
  type Clients,
  type HttpClientIdentity,
  readClients,
} from "../server/http/client.ts";
import type { HttpLimits } from "../server/http/limits.ts";
import type { Tls } from "../server/http/listener.ts";
import { measureCalls, Metrics, serveMetrics } from "../server/http/metrics.ts";
import { type HttpOptions, serveHttp } from "../server/http/serve.ts";
import type { SessionOptions } from "../session/session.ts";
import type { SharedState } from "../state/shared_state.ts";
import { approvalsOpener } from "./approvals.ts";
import {
  type CatalogueOptions,
  jobsOf,
  openCatalogue,
  openOutputs,
  serve,
  type ServedCatalogue,
  type ServeOptions,
  watchServed,
} from "./serve.ts";
import type { HttpFlags } from "./http_options.ts";
import type { ServedProfilesOptions } from "./served_profiles.ts";
import type { Surface } from "../server/surface.ts";

type ServeHttpOptions = ServeOptions & Omit<HttpFlags, "http"> & { readonly http: string };

export async function serveConfigsOverHttp(
  sessionOptions: SessionOptions,
  options: ServeHttpOptions,
): Promise<ExitCode> {
  if (options.profiles === undefined) {
    return await serve((closing) => open(sessionOptions, options, closing));
  }
  const { separateScopes } = await import("../process/profile.ts");
  const { own, end } = separateScopes();
  try {
    return await own(() => serve((closing) => open(sessionOptions, options, closing, own)));
  } finally {
    end();
  }
}

async function open(
  sessionOptions: SessionOptions,
  options: ServeHttpOptions,
  closing: AsyncDisposableStack,
  own?: ProfileScope,
): Promise<(release: () => Promise<void>) => Promise<void>> {
  const address = parseAddress(options.http);
  const origins = (options.allowOrigin ?? []).map(parseOrigin);
  const metricsAddress = options.metrics === undefined ? undefined : parseAddress(options.metrics);
  const clients = options.clients === undefined ? undefined : await readClients(options.clients);
  const authenticator = await authenticatorOf(options, clients);
  const tls = await tlsOf(options);
  const { session, jobs, state } = await openShared(sessionOptions, options, closing);
  const metrics = new Metrics({
    runningJobs: () => jobs.running + (profiles?.runningJobs() ?? 0),
    waitingCalls: () => session.shared.semaphore.waiting,
    store: state?.store,
  });
  const { classic, groups } = options;
  const isPlain = own === undefined || session.configs.length > 0 || session.mcp !== undefined;
  const observe = (context: CallContext) => measureCalls(context, metrics);
  const settings = { classic, groups, observe, clients: options.clients };
  const policies = isPlain ? await openPolicies(session, clients, settings) : undefined;
  closing.defer(async () => await policies?.close());
  const profiles = await openProfilesOf(session, options, {
    ...{ classic, observe, state },
    newJobs: () => jobsOf(session.calls, jobs),
  });
  closing.defer(async () => await profiles?.close());
  closing.defer(() => jobs.close());
  const all = policies?.catalogues() ?? [];
  // Serving over HTTP needs the network for its port and the issuer's keys, and writes caches, so these permissions are
  // kept
  const write = profiles?.writes() || all.some(({ session }) => session.permissions().write);
  dropPermissions({ net: true, write });

  if (metricsAddress !== undefined) closing.defer(await serveMetrics(metricsAddress, metrics));
  const http: HttpOptions = {
    address,
    authenticator,
    tls,
    hosts: options.allowHost ?? [],
    origins,
    drainMs: options.shutdownTimeout === undefined ? undefined : options.shutdownTimeout * 1000,
    surfaceFor(client, profile) {
      if (profile !== undefined) return profiles?.surfaceFor(client, profile);
      if (!policies?.hasClients && profiles?.binds(client)) return undefined;
      return policies?.surfaceFor(client);
    },
    placeOf: (profile) => profile === undefined ? own : profiles?.placeOf(profile),
    paths: { plain: policies !== undefined, profiles: profiles !== undefined },
    onAnswered: (status) => metrics.onAnswer(status),
    ...exportsSpans() &&
      { traced: (await import("../server/http/tracing.ts")).traceRequest },
    state,
    limits: limitsOf(options),
    onListening(url) {
      for (const catalogue of all) catalogue.goLive();
      profiles?.goLive();
      log("info", `listening at ${url}`);
      const urls = [
        ...isPlain ? [url] : [],
        ...profiles?.names().map((name) => `${url}/p/${name}`) ?? [],
      ];
      if (!io().stderr.isTerminal()) return;
      say(`climax serves MCP at ${urls.join(", ")}; Ctrl-C ends it`);
      if (policies?.hasClients) return;
      for (const { session } of all) {
        say(confirmationWords(session.index.tools, sessionOptions.policy));
      }
    },
  };
  return (release) => serveHttp(http, release);
}

async function openShared(
  { audit: auditPath, ...sessionOptions }: SessionOptions,
  options: ServeHttpOptions,
  closing: AsyncDisposableStack,
) {
  const state = await stateOf(options);
  const instance = state?.store.instance;
  const audit = await openAuditLog({ ...auditOptions(auditPath), instance });
  closing.defer(() => audit?.close());
  closing.defer(() => state?.store.close());
  const { calls } = sessionOptions;
  const semaphore = new FairSemaphore(calls?.concurrency ?? defaultCallSettings.concurrency);
  // All catalogues share one store: each output has an owner, and only the owner may read it
  const jobs = jobsOf(calls);
  const outputs = closing.adopt(await openOutputs(jobs, state), (outputs) => outputs.close());
  const shared = { audit, semaphore, toolPermits: new ToolPermits() };
  const approvals = approvalsOpener(closing, state?.store);
  return { session: { ...sessionOptions, outputs, jobs, shared, approvals }, jobs, state };
}

/** Opens the profiles of `--profiles`. @throws {UsageError} if a profile lists clients, and clients have no names */
async function openProfilesOf(
  session: SessionOptions,
  { profiles: path, tokens, issuer }: HttpFlags,
  settings: Omit<ServedProfilesOptions, "profiles">,
) {
  if (path === undefined) return undefined;
  const { openProfiles, readProfiles } = await import("./served_profiles.ts");
  const profiles = await readProfiles(path);
  if (profiles.hasClients && (tokens ?? issuer) === undefined) {
    throw new UsageError(
      "Profiles with clients or scopes require --tokens or --issuer: clients have no names without them",
    );
  }
  return await openProfiles(session, profiles, { ...settings, profiles: path });
}

async function authenticatorOf(
  { tokens, issuer, audience, untypedTokens }: HttpFlags,
  clients: Clients | undefined,
): Promise<Authenticator | undefined> {
  if (tokens !== undefined) {
    const { tokenAuthenticator } = await import("../server/http/tokens.ts");
    return tokenAuthenticator(tokens);
  }
  if (issuer === undefined || audience === undefined) return undefined;
  const { oauthAuthenticator } = await import("../server/http/oauth.ts");
  const scopes = clients?.scopes ?? [];
  const settings = { issuer, audience, scopes, untypedTokens: untypedTokens === true };
  return await oauthAuthenticator(settings);
}

async function tlsOf({ tlsCert, tlsKey }: HttpFlags): Promise<Tls | undefined> {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const [cert, key] = await Promise.all([
    readTextFile(tlsCert),
    readTextFile(protect(tlsKey, "hidden")),
  ]);
  const exposure = key.ok ? exposureTo(tlsKey, "read or change") : undefined;
  const problems = [cert, key].flatMap((file) => file.ok ? [] : [file.problem]);
  if (exposure !== undefined) problems.push(exposure);
  if (!cert.ok || !key.ok || problems.length > 0) {
    throw new FileError("TLS was not set up", ...problems);
  }
  return { cert: cert.text, key: key.text };
}

function limitsOf({ clientRequests, clientRate }: HttpFlags): Partial<HttpLimits> {
  return {
    ...(clientRequests !== undefined && { requestsPerClient: clientRequests }),
    ...(clientRate !== undefined && { requestsPerMinute: clientRate }),
  };
}

async function stateOf({ state, signingKey }: HttpFlags): Promise<SharedState | undefined> {
  if (state === undefined || signingKey === undefined) return undefined;
  const { openSharedState } = await import("../state/shared_state.ts");
  const keys = resolve(systemPath(signingKey));
  return await openSharedState(state, keys);
}

type PolicySettings = CatalogueOptions & Pick<HttpFlags, "clients">;

async function openPolicies(
  session: SessionOptions,
  clients: Clients | undefined,
  options: PolicySettings,
) {
  let present = clients;
  const catalogues = new Map<string, ServedCatalogue>();
  const only = typeof session.policy === "string" ? session.policy : "";
  const openPolicy = async (name: string) => {
    const policy = name === "" ? session.policy : name;
    const catalogue = await openCatalogue({ ...session, policy }, options);
    catalogues.set(name, catalogue);
    return catalogue;
  };
  const policiesOf = ({ policies }: Clients): readonly string[] => {
    if (policies.length > 0) return policies;
    const message = "The clients file assigns no policy, so no client could use a tool";
    throw new FileError("Nothing is served", { file: options.clients!, message });
  };
  const apply = async (next: Clients) => {
    for (const policy of policiesOf(next)) {
      if (!catalogues.has(policy)) (await openPolicy(policy)).goLive();
    }
    present = next;
    for (const [policy, catalogue] of catalogues) {
      if (next.policies.includes(policy)) continue;
      catalogues.delete(policy);
      await catalogue.close();
    }
  };
  for (const name of clients === undefined ? [only] : policiesOf(clients)) await openPolicy(name);
  const path = session.watch === false ? undefined : options.clients;
  const unwatch = watchServed(path, readClients, apply);
  return {
    catalogues: () => [...catalogues.values()],
    hasClients: clients !== undefined,
    /** Returns the surface under the policy of `client`; `undefined` for a client without a policy. */
    surfaceFor(client: HttpClientIdentity): Surface | undefined {
      const name = present === undefined ? only : present.policyFor(client);
      return name === undefined ? undefined : catalogues.get(name)?.surface;
    },
    async close() {
      unwatch();
      await Promise.all(catalogues.values().map((each) => each.close()));
    },
  };
}
