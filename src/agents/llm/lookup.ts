/** Defines credentials, and a class that keeps secrets out of logs and messages. */

import type { Environment } from "../../files/expand.ts";
import type { ConfirmKey } from "../../trust/keys.ts";

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** `from` says where the credential was found, such as `the variable OPENAI_API_KEY`. */
export type Credential =
  | { readonly kind: "key"; readonly key: Secret; readonly from: string }
  | {
    readonly kind: "aws";
    readonly keys: () => Promise<AwsKeys>;
    /** Returns the secret parts of present and former keys, so that they can be masked. */
    readonly secrets: () => readonly string[];
    readonly from: string;
  }
  | { readonly kind: "none"; readonly from: string };

export interface CredentialSurroundings {
  readonly environment: Environment;
  /** Asks for a key at the terminal, and hides the typed text; absent without a terminal. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** Asks whether a key may be sent to a server that is not its provider's; absent without a terminal. */
  readonly confirm?: ConfirmKey | undefined;
}

export type LookUp =
  | { readonly credential: Credential }
  | { readonly looked: readonly string[] };

/** Hides a text, which only {@linkcode Secret.reveal} returns, from logs and messages. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toJSON(): string {
    return "***";
  }

  toString(): string {
    return "***";
  }

  [Symbol.for("Deno.customInspect")](): string {
    return "***";
  }
}
