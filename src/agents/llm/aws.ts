/** Finds the credential and the region for Bedrock, in environment variables or by the credential chain of AWS. */

import { join } from "node:path";
import { systemPath } from "../../io.ts";
import { type Environment, homeVariable } from "../../files/expand.ts";
import { messageOf } from "../../errors.ts";
import type { AwsKeys, LookUp } from "./lookup.ts";
import { protect } from "../../process/protected_paths.ts";

/** A variable with this prefix takes precedence over the same variable without the prefix. */
export const ownPrefix = "TAMAMO_X_";

/** The secrets of at most this many keys are masked: those of a day, if keys change each hour. */
const maxSecrets = 50;

/** Reads AWS keys in environment variables. The variables of an id and its secret must have the same prefix. */
export function awsVariables(environment: Environment): LookUp {
  const looked: string[] = [];
  for (const prefix of [ownPrefix, ""]) {
    const names = ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN"];
    const [id, secret, token] = names.map((name) => `${prefix}AWS_${name}`);
    const [accessKeyId, secretAccessKey, sessionToken] = [id!, secret!, token!].map((name) => {
      return environment(name)?.trim();
    });
    if (accessKeyId && secretAccessKey) {
      const keys = { accessKeyId, secretAccessKey, ...sessionToken ? { sessionToken } : {} };
      return found(() => Promise.resolve(keys), `the variables ${prefix}AWS_…`, keys);
    }
    looked.push(`variables ${id} and ${secret}: not both set`);
  }
  return { looked };
}

export async function awsChain(): Promise<LookUp> {
  try {
    const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
    const provide = defaultProvider();
    return found(provide, "the credential chain of AWS", await provide());
  } catch (error) {
    return { looked: [`the credential chain of AWS: ${messageOf(error)}`] };
  }
}

function found(provide: () => Promise<AwsKeys>, from: string, first: AwsKeys): LookUp {
  let secrets: readonly string[] = [];
  const remember = (keys: AwsKeys): AwsKeys => {
    const { secretAccessKey, sessionToken = "" } = keys;
    secrets = [...new Set([secretAccessKey, sessionToken, ...secrets])].slice(0, maxSecrets);
    return keys;
  };
  remember(first);
  const keys = async () => remember(await provide());
  return { credential: { kind: "aws", keys, secrets: () => secrets, from } };
}

export async function awsRegion(environment: Environment): Promise<string | undefined> {
  const set = environment("AWS_REGION") || environment("AWS_DEFAULT_REGION");
  if (set) return set;
  const home = environment(homeVariable);
  const path = environment("AWS_CONFIG_FILE") || (home && join(home, ".aws", "config"));
  if (!path) return undefined;
  const text = await Deno.readTextFile(systemPath(protect(path, "hidden"))).catch(() => "");
  const profile = environment("AWS_PROFILE") || "default";
  const sections = text.split(/^[ \t]*\[/m);
  const section = sections.find((each) => {
    return [profile, `profile ${profile}`].includes(each.split("]")[0]!.replace(/\s+/g, " "));
  });
  return /^[ \t]*region\s*=\s*(\S+)/m.exec(section ?? "")?.[1];
}
