/** Finds the credential and the region for Bedrock, in environment variables or by the credential chain of AWS. */

import { join } from "node:path";
import { systemPath } from "../../io.ts";
import { homeVariable } from "../../files/expand.ts";
import { messageOf } from "../../errors.ts";
import { type AwsKeys, type CredentialSurroundings, type LookUp, Secret } from "./lookup.ts";
import { protect } from "../../process/protected_paths.ts";

/** Environment variables with this prefix take precedence over those without it. */
export const ownPrefix = "TAMAMO_X_";

/** At most this many secrets of former keys are kept for masking: those of a day, if keys change each hour. */
const maxSecrets = 50;

/** Finds AWS keys: only in environment variables, or by the whole credential chain of AWS. */
export async function awsCredential(
  where: "environment" | "chain",
  { environment }: CredentialSurroundings,
): Promise<LookUp> {
  if (where === "environment") {
    return keysOf(environment, ownPrefix) ?? keysOf(environment, "") ?? {
      found: false,
      looked: [ownPrefix, ""].map((prefix) => {
        return `variables ${namesOf(prefix).slice(0, 2).join(" and ")}: not both set`;
      }),
    };
  }
  try {
    const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
    const provide = defaultProvider();
    return found(provide, "the credential chain of AWS", await provide());
  } catch (error) {
    return { found: false, looked: [`the credential chain of AWS: ${messageOf(error)}`] };
  }
}

/** Reads the keys in variables with one prefix. An id is never combined with the secret of another prefix. */
function keysOf(environment: CredentialSurroundings["environment"], prefix: string) {
  const [accessKeyId, secretAccessKey, sessionToken] = namesOf(prefix).map((name) => {
    return environment(name)?.trim();
  });
  if (!accessKeyId || !secretAccessKey) return undefined;
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
  return found(() => Promise.resolve(keys), `the variables ${prefix}AWS_…`, keys);
}

function namesOf(prefix: string): string[] {
  const names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
  return names.map((name) => `${prefix}${name}`);
}

function found(provide: () => Promise<AwsKeys>, from: string, first: AwsKeys): LookUp {
  const secrets: Secret[] = [];
  const remember = (keys: AwsKeys): AwsKeys => {
    for (const text of [keys.secretAccessKey, keys.sessionToken ?? ""]) {
      if (text !== "" && !secrets.some((known) => known.reveal() === text)) {
        secrets.push(new Secret(text));
      }
    }
    secrets.splice(0, secrets.length - maxSecrets);
    return keys;
  };
  remember(first);
  const keys = async () => remember(await provide());
  return { found: true, credential: { kind: "aws", keys, secrets: () => secrets, from } };
}

/** Finds the region in the variables of AWS, or in the profile of AWS's config file. */
export async function awsRegion(
  environment: (name: string) => string | undefined,
): Promise<string | undefined> {
  const set = environment("AWS_REGION") || environment("AWS_DEFAULT_REGION");
  if (set) return set;
  const home = environment(homeVariable);
  const path = environment("AWS_CONFIG_FILE") || (home && join(home, ".aws", "config"));
  // The AWS SDK would take an empty path for the current folder
  if (!path) return undefined;
  const text = await Deno.readTextFile(systemPath(protect(path, "hidden"))).catch(() => "");
  return regionOf(text, environment("AWS_PROFILE") || "default");
}

function regionOf(text: string, profile: string): string | undefined {
  const headings = [`[${profile}]`, `[profile ${profile}]`];
  let inProfile = false;
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line.startsWith("[")) inProfile = headings.includes(line.replace(/\s+/g, " "));
    const region = inProfile ? /^region\s*=\s*(\S+)/.exec(line)?.[1] : undefined;
    if (region !== undefined) return region;
  }
  return undefined;
}
