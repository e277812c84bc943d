/** What is served at `/mcp/p/NAME`: one catalogue for each profile, and its own directory. */

import { resolve } from "node:path";
import { systemPath } from "../io.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { isPolicyName } from "../policy/locate.ts";
import { type ProfilePlace, profilePlace } from "../process/profile.ts";
import type { HttpClientIdentity } from "../server/http/client.ts";
import { type Profile, type Profiles, readProfiles } from "./profiles_file.ts";
import type { Surface } from "../server/surface.ts";
import type { SharedState } from "../state/shared_state.ts";
import type { SessionOptions } from "../session/session.ts";
import {
  type HttpCatalogue,
  type HttpCatalogueOptions,
  openHttpCatalogue,
  watchServed,
} from "./http_catalogue.ts";
import { openKept } from "./job_limit.ts";

export interface ServedProfilesOptions extends HttpCatalogueOptions {
  /** The path of the file. */
  readonly profiles: string;
  readonly newJobs: () => Jobs;
  readonly state: SharedState | undefined;
}

interface ServedProfile {
  /** What must change for its catalogue to be opened again. */
  readonly profile: string;
  readonly place: ProfilePlace;
  readonly catalogue: HttpCatalogue;
  readonly jobs: Jobs;
  close(): Promise<void>;
}

/** The session of a profile, otherwise as `common`. To be called outside of its place. */
export function profileSession(
  { configs, mcp, policy: own }: Profile,
  common: SessionOptions,
): SessionOptions {
  const policy = own ?? common.policy;
  const isFile = typeof policy === "string" && !isPolicyName(policy);
  return {
    ...common,
    ...{ configs, mcp, policy: isFile ? resolve(systemPath(policy)) : policy },
    ...{ moreConfigs: undefined, examples: undefined },
  };
}

export class ServedProfiles {
  readonly #session: SessionOptions;
  readonly #options: ServedProfilesOptions;
  readonly #served = new Map<string, ServedProfile>();
  #profiles: Profiles;
  #unwatch = () => {};

  private constructor(session: SessionOptions, all: Profiles, options: ServedProfilesOptions) {
    this.#session = session;
    this.#profiles = all;
    this.#options = options;
  }

  /** @throws {ClimaxError} with every problem of the configs and policy of a profile */
  static async open(
    session: SessionOptions,
    all: Profiles,
    options: ServedProfilesOptions,
  ): Promise<ServedProfiles> {
    const served = new ServedProfiles(session, all, options);
    for (const profile of all.all) served.#served.set(profile.name, await served.#open(profile));
    const path = session.watch === false ? undefined : options.profiles;
    served.#unwatch = await watchServed(path, readProfiles, (next) => served.#apply(next));
    return served;
  }

  get names(): readonly string[] {
    return [...this.#served.keys()];
  }

  get runningJobs(): number {
    return this.#served.values().reduce((sum, { jobs }) => sum + jobs.running, 0);
  }

  /** Nothing for an unknown profile, and for one that `client` may not use. */
  surfaceFor(client: HttpClientIdentity, name: string): Surface | undefined {
    if (!this.#profiles.admits(client, name)) return undefined;
    return this.#served.get(name)?.catalogue.surface;
  }

  binds(client: HttpClientIdentity): boolean {
    return this.#profiles.binds(client);
  }

  placeOf(name: string): ProfilePlace | undefined {
    return this.#served.get(name)?.place;
  }

  /** Paths that its sessions write to. */
  async writes(): Promise<string[]> {
    const needs = await Promise.all(
      this.#served.values().map(({ place, catalogue }) => {
        return place(() => catalogue.session.permissions());
      }),
    );
    return needs.flatMap(({ write }) => write);
  }

  goLive(): void {
    for (const { place, catalogue } of this.#served.values()) place(() => catalogue.goLive());
  }

  async close(): Promise<void> {
    this.#unwatch();
    await Promise.all(this.#served.values().map((each) => each.close()));
  }

  async #open(profile: Profile): Promise<ServedProfile> {
    const { name, directory } = profile;
    const place = profilePlace(name, directory);
    const jobs = this.#options.newJobs();
    const { outputs, close: closeOutputs } = await openKept(jobs, this.#options.state, name);
    const { audit, semaphore } = this.#session.shared ?? {};
    const own = profileSession(profile, this.#session);
    const session = { ...own, outputs, jobs, shared: { audit, semaphore } };
    const catalogue = await place(() => openHttpCatalogue(session, this.#options));
    const close = async () => {
      await jobs.close();
      await catalogue.close();
      await closeOutputs();
    };
    return {
      ...{ profile: JSON.stringify(profile), place, catalogue, jobs },
      close: () => place(close),
    };
  }

  /** Those that are the same stay as they are. */
  async #apply(next: Profiles): Promise<void> {
    const changed = next.all.filter((profile) => {
      return this.#served.get(profile.name)?.profile !== JSON.stringify(profile);
    });
    const opened = new Map<string, ServedProfile>();
    try {
      for (const profile of changed) opened.set(profile.name, await this.#open(profile));
    } catch (error) {
      await Promise.all(opened.values().map((each) => each.close()));
      throw error;
    }
    const kept = new Set(next.all.map(({ name }) => name));
    const closing = [...this.#served].filter(([name]) => !kept.has(name) || opened.has(name));
    for (const [name] of closing) this.#served.delete(name);
    for (const [name, served] of opened) {
      this.#served.set(name, served);
      served.place(() => served.catalogue.goLive());
    }
    this.#profiles = next;
    await Promise.all(closing.map(([, served]) => served.close()));
  }
}
