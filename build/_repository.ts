/**
 * Finds the repository's address. A release gets it from `--repository URL` or from GitHub's variables; other builds have
 * none. The pages have the one in `deno.json`, which has the word OWNER until it is known.
 */

import { dirname, join, normalize } from "node:path/posix";
import manifest from "../deno.json" with { type: "json" };

/** Returns the repository's address without a trailing slash. @throws for an invalid address */
export function repository(options: ReadonlyMap<string, string>): string | undefined {
  const url = options.get("repository") ?? githubRepository();
  if (url === undefined || /^https?:\/\/[\w.:[\]-]+(?:\/[\w.-]+)+$/.test(url)) return url;
  throw new Error(`--repository takes an address such as https://host/owner/name, not '${url}'`);
}

/** The pages with the repository's address. */
export const addressPages: readonly string[] = [
  ...["README.md", "SECURITY.md", "docs/install.md", "docs/building.md", "build/README.md"],
];

/** Returns a page with the address of `deno.json` in the place of the one that it has. */
export function withRepository(page: string, address: string = manifest.repository): string {
  const slug = new URL(address).pathname.slice(1);
  return page.replace(/https:\/\/github\.com\/[\w.-]+\/climax(?![\w-])/g, address)
    .replace(/(?<![\w./-])[\w.-]+\/[\w.-]+(?=@v(?:VERSION|\d))|(?<=--repo )[\w.-]+\/\w+/g, slug);
}

/**
 * Returns the program's name in the MCP registry. Its namespace is `io.github.OWNER`, as GitHub writes the
 * owner, or the host's name backwards; the registry tells upper from lower case.
 */
export function registryName(repository: string): string {
  const { hostname, pathname } = new URL(repository);
  const owner = pathname.split("/").at(-2);
  const host = hostname.split(".").toReversed().join(".");
  return `${hostname === "github.com" ? `io.github.${owner}` : host}/climax`;
}

function githubRepository(): string | undefined {
  const [server, name] = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY"].map((key) => Deno.env.get(key));
  return server && name ? `${server}/${name}` : undefined;
}

/** A relative link in Markdown. */
const relativeLink = /(?<=\]\()(?![a-z]+:|#)([^)\s#]+)/g;

/** A relative address of a picture in HTML. */
const relativePicture = /(?<= (?:src|srcset)=")(?![a-z]+:)([^"\s]+)/g;

/**
 * Returns the text of `page`, a path below the root, with its links to files and its pictures as URLs of the
 * version that is built, so that they work everywhere.
 */
export function withAddresses(text: string, page: string, repository: string): string {
  const address = (kind: string) => (path: string) => {
    return `${repository}/${kind}/v${manifest.version}/${normalize(join(dirname(page), path))}`;
  };
  return withRepository(text, repository).replace(relativeLink, address("blob")).replace(
    relativePicture,
    address("raw"),
  );
}
