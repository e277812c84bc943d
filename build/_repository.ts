/**
 * Where what is built belongs: the repository's address, which nothing in it knows. A release is told
 * by `--repository URL` or by GitHub's own variables; what is built elsewhere claims none.
 */

import { dirname, join, normalize } from "node:path/posix";
import manifest from "../deno.json" with { type: "json" };

/** The repository's address, without a slash at its end. @throws for what is no such address */
export function repository(options: ReadonlyMap<string, string>): string | undefined {
  const url = options.get("repository") ?? githubRepository();
  if (url === undefined || /^https?:\/\/[\w.:[\]-]+(?:\/[\w.-]+)+$/.test(url)) return url;
  throw new Error(`--repository takes an address such as https://host/owner/name, not '${url}'`);
}

function githubRepository(): string | undefined {
  const [server, name] = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY"].map((key) => Deno.env.get(key));
  return server && name ? `${server}/${name}` : undefined;
}

/** A link of Markdown to a place that is not an address by itself. */
const relativeLink = /(?<=\]\()(?![a-z]+:|#)([^)\s#]+)/g;

/**
 * The text of `page`, a path below the root, with its links to files as addresses of the version that
 * is built, so that they work wherever the text is read.
 */
export function withAddresses(text: string, page: string, repository: string): string {
  const files = `${repository}/blob/v${manifest.version}`;
  return text.replace(relativeLink, (path) => `${files}/${normalize(join(dirname(page), path))}`);
}
