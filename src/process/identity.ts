/** Names an authenticated client. A name has a meaning only together with the authority that checked it. */

export interface Identity {
  readonly name: string;
  readonly by: "tokens" | "issuer";
  /** Who checked the name: the absolute path of the file of tokens, or the identifier of the issuer of tokens. */
  readonly authority: string;
}

/** Returns the key under which jobs, outputs, answers of people and logins of a client are stored. */
export function identityKey({ name, by, authority }: Identity): string {
  return JSON.stringify([by, authority, name]);
}

export function clientOfKey(key: string): Identity | undefined {
  try {
    const [by, authority, name] = JSON.parse(key);
    return { name, by, authority };
  } catch {
    return undefined;
  }
}
