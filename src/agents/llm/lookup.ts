/** What looking for a credential is given, and what it finds. */

import type { Secret } from "./secret.ts";

/** What requests to AWS are signed with. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Keys that AWS's chain hands out, and renews. */
export interface AwsCredential {
  readonly kind: "aws";
  readonly keys: () => Promise<AwsKeys>;
  /** Everything secret that was handed out so far. */
  readonly secrets: () => readonly Secret[];
  readonly from: string;
}

/** What a provider is asked with. */
export type Credential =
  | { readonly kind: "key"; readonly key: Secret; readonly from: string }
  | AwsCredential
  /** A server that asks for none. */
  | { readonly kind: "none"; readonly from: string };

/** What finding a credential may use of the world. */
export interface CredentialSurroundings {
  readonly environment: (name: string) => string | undefined;
  /** Asks on a terminal without showing the answer; absent where there is none. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
}

/** What one place had. */
export type LookUp =
  | { readonly found: true; readonly credential: Credential }
  | { readonly found: false; readonly looked: readonly string[] };
