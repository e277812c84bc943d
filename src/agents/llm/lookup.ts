/** The types of a search for credentials, and the class for secrets, which no text shows. */

import { maskSecrets } from "../../net/send_once.ts";
import type { ConfirmKey } from "../../trust/keys.ts";

/** The keys that sign requests to AWS. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Keys from the chain of AWS, which renews them. */
interface AwsCredential {
  readonly kind: "aws";
  readonly keys: () => Promise<AwsKeys>;
  /** Returns all secrets that the keys have had so far. */
  readonly secrets: () => readonly Secret[];
  readonly from: string;
}

export type Credential =
  | { readonly kind: "key"; readonly key: Secret; readonly from: string }
  | AwsCredential
  /** No credential: the server needs no authentication. */
  | { readonly kind: "none"; readonly from: string };

/** The environment that a search may use. */
export interface CredentialSurroundings {
  readonly environment: (name: string) => string | undefined;
  /** Asks for a key on a terminal without echo; absent without a terminal. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** Asks whether a key may go to an address of somebody else than its provider; absent without a terminal. */
  readonly confirm?: ConfirmKey | undefined;
}

export type LookUp =
  | { readonly found: true; readonly credential: Credential }
  | { readonly found: false; readonly looked: readonly string[] };

const mask = "***";

/** A text that only {@linkcode Secret.reveal} returns. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the secret. Only the request that needs it calls this. */
  reveal(): string {
    return this.#text;
  }

  /** Removes this secret from `text`, also in its JSON and URL forms. */
  redact(text: string): string {
    return maskSecrets(text, [this.#text]);
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [Symbol.for("Deno.customInspect")](): string {
    return mask;
  }
}
