/** Names that a plan generates, such as that of a container: two plans of one call differ in them. */

const generatedNames = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export function withoutGeneratedNames(text: string): string {
  return text.replaceAll(generatedNames, "");
}
