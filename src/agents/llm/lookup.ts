/** The types for finding credentials, and the class for secrets, which keeps them out of logs and messages. */

import { maskSecrets } from "../../net/send_once.ts";
import type { ConfirmKey } from "../../trust/keys.ts";

/** The keys that sign requests to AWS. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Keys from the credential chain of AWS, which renews them. */
interface AwsCredential {
  readonly kind: "aws";
  readonly keys: () => Promise<AwsKeys>;
  /** Returns all secrets that the keys have had so far, so that they can be masked. */
  readonly secrets: () => readonly Secret[];
  readonly from: string;
}

export type Credential =
  | { readonly kind: "key"; readonly key: Secret; readonly from: string }
  | AwsCredential
  /** The server needs no credential. */
  | { readonly kind: "none"; readonly from: string };

/** What a search for credentials may use. */
export interface CredentialSurroundings {
  readonly environment: (name: string) => string | undefined;
  /** Asks for a key on the terminal without showing it; absent without a terminal. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** Asks whether a key may be sent to a server that is not its provider's; absent without a terminal. */
  readonly confirm?: ConfirmKey | undefined;
}

export type LookUp =
  | { readonly found: true; readonly credential: Credential }
  | { readonly found: false; readonly looked: readonly string[] };

const mask = "***";

/** A text that only {@linkcode Secret.reveal} returns, so that logs and messages cannot show it by mistake. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the secret. Only the code that sends it may call this. */
  reveal(): string {
    return this.#text;
  }

  /** Replaces this secret in `text`, also in its JSON and URL forms. */
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
