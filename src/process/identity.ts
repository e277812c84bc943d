/** Who an authenticated client is: its name means nothing without what has checked it. */

export interface Identity {
  /** As policies and logs have it. */
  readonly name: string;
  readonly by: "tokens" | "issuer";
  /** The absolute path of the file of tokens, or the identifier of the issuer. */
  readonly authority: string;
}

/** The key of what belongs to a client: jobs, outputs, answers of people, logins. */
export function identityKey({ name, by, authority }: Identity): string {
  return JSON.stringify([by, authority, name]);
}

/** The client of a key, if it is one. */
export function clientOfKey(key: string): Identity | undefined {
  try {
    const [by, authority, name] = JSON.parse(key);
    return { name, by, authority };
  } catch {
    return undefined;
  }
}
