/** The types of a search for credentials. */

import type { Secret } from "./secret.ts";

/** The keys that sign requests to AWS. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Keys from the chain of AWS, which renews them. */
export interface AwsCredential {
  readonly kind: "aws";
  readonly keys: () => Promise<AwsKeys>;
  /** All secrets so far. */
  readonly secrets: () => readonly Secret[];
  readonly from: string;
}

export type Credential =
  | { readonly kind: "key"; readonly key: Secret; readonly from: string }
  | AwsCredential
  /** For a server without authentication. */
  | { readonly kind: "none"; readonly from: string };

/** The access of a search to its surroundings. */
export interface CredentialSurroundings {
  readonly environment: (name: string) => string | undefined;
  /** Prompts on a terminal without echo; absent without a terminal. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
}

export type LookUp =
  | { readonly found: true; readonly credential: Credential }
  | { readonly found: false; readonly looked: readonly string[] };
