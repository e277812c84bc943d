/** Which language model `climax init` writes: what was asked for, what is there, or what a person says. */

import { UsageError } from "../errors.ts";
import {
  type CredentialSource,
  credentialSources,
  modelless,
  type ProviderType,
  providerTypes,
} from "../agents/llm/settings.ts";
import type { ProjectFile } from "../sources/upstream/schema.ts";

/** A provider as written. */
export type ProviderFile = ProjectFile["llmProvider"];

/** What the command line says of it. */
export interface ProviderOptions {
  readonly provider?: ProviderType | undefined;
  readonly model?: string | undefined;
  readonly credentialSource?: CredentialSource | undefined;
}

/** Who answers what the command line leaves open. */
export interface Person {
  choose<Choice extends string>(
    message: string,
    choices: readonly Choice[],
  ): Promise<Choice | undefined>;
  askText(message: string): Promise<string | undefined>;
}

/**
 * The provider to write; `existing` is what the file has. Without a `person`, Anthropic and the
 * environment are the answers.
 *
 * @throws {UsageError} when a model is needed and nobody says which
 */
export async function chooseProvider(
  { provider, model, credentialSource }: ProviderOptions,
  existing: unknown,
  person: Person | undefined,
): Promise<ProviderFile> {
  const before = (existing ?? {}) as Partial<ProviderFile>;
  const type = provider ?? before.type ??
    await person?.choose("Which provider serves your language model?", providerTypes) ??
    "anthropic";
  const isSame = type === before.type;
  const source = credentialSource ?? (isSame ? before.credentialSource : undefined) ??
    await person?.choose("Where do its credentials come from?", credentialSources) ?? "env-var";
  const named = model ?? (isSame ? before.model : undefined) ??
    (modelless.includes(type) ? await person?.askText(`Which model of ${type}?`) : undefined);
  if (!named && modelless.includes(type)) {
    throw new UsageError(`--model is needed: '${type}' has no default`, "--model NAME");
  }
  return {
    ...(isSame ? before : {}),
    type,
    ...(named ? { model: named } : {}),
    credentialSource: source,
  };
}
