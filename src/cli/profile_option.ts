/** The option of commands that do something for a profile of an HTTP server. */

import { Option } from "@commander-js/extra-typings";
import { UsageError } from "../errors.ts";
import { io } from "../io.ts";
import { once } from "./options.ts";

/** `--profile` */
export function profileOption() {
  return new Option("--profile <name>", "the login of a profile of climax run --http")
    .argParser(once("--profile"));
}

/** Runs `work` for the profile `name`, if there is one. @throws {UsageError} if it cannot be a name */
export async function inProfile<T>(name: string | undefined, work: () => Promise<T>): Promise<T> {
  if (name === undefined) return await work();
  const { isProfileName, placeOf } = await import("../process/profile.ts");
  if (!isProfileName(name)) {
    const hint = "It is up to 63 of a-z, 0-9 and '-', as in the file of --profiles";
    throw new UsageError(`Not the name of a profile: '${name}'`, hint);
  }
  return await placeOf(name, io().cwd())(work);
}
