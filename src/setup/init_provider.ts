/** Chooses the language model that `climax init` writes: from options, the environment, or a person. */

import { UsageError } from "../errors.ts";
import {
  type CredentialSource,
  credentialSources,
  modelless,
  type ProviderType,
} from "../agents/llm/settings.ts";
import type { ProjectFile } from "../sources/upstream/schema.ts";

/** A provider in the file. */
export type ProviderFile = ProjectFile["llmProvider"];

/** The options of the command line. */
export interface ProviderOptions {
  readonly provider?: ProviderType | undefined;
  readonly model?: string | undefined;
  readonly credentialSource?: CredentialSource | undefined;
}

/** A person who answers what the options leave open. */
export interface Person {
  choose<Choice extends string>(
    message: string,
    choices: readonly Choice[],
  ): Promise<Choice | undefined>;
  askText(message: string): Promise<string | undefined>;
}

/**
 * Chooses the provider to write; `existing` is the one of the file. Without a `person`, it is Anthropic
 * with a credential from the environment.
 *
 * @throws {UsageError} when a model is needed and none is named
 */
export async function chooseProvider(
  { provider, model, credentialSource }: ProviderOptions,
  existing: unknown,
  person: Person | undefined,
): Promise<ProviderFile> {
  const before = (existing ?? {}) as Partial<ProviderFile>;
  const type = provider ?? before.type ?? "anthropic";
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
