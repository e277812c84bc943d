/** Lists the spellings of a resource's address, since a server may decode it twice, or ignore parts of it. */

/** An address is decoded at most this many times: some servers decode it twice, and a margin is safer. */
export const maxRounds = 4;

export function canonicalUri(uri: string): string {
  const href = URL.parse(uri)?.href;
  return href === undefined || fullyDecoded(href) === fullyDecoded(uri) ? uri : href;
}

/** Caches the spellings of addresses, since servers list the same addresses again and again. */
const known = new Map<string, readonly string[]>();
const maxKnown = 10_000;

/** Returns forms in which a server may read `uri`: decoded, as a URL, and without the parts that it may ignore. */
export function spellingsOf(uri: string): readonly string[] {
  if (known.size > maxKnown) known.clear();
  return known.getOrInsertComputed(uri, () => {
    const forms = decodeForms(uri);
    const urls = new Set(forms.flatMap(urlsOf)).difference(new Set(forms));
    return [...new Set([...forms, ...[...urls].flatMap(decodeForms)])];
  });
}

function urlsOf(text: string): string[] {
  const url = URL.parse(text);
  if (url === null) return looseUrlsOf(text);
  const { href, protocol, host, search } = url;
  // The host of a `file:` address is dropped, since servers read the file of this computer, whatever the host
  const place = protocol === "file:" ? "" : host;
  const slashes = host !== "" || href.startsWith(`${protocol}//`) ? "//" : "";
  const bare = `${protocol}${slashes}${place}${url.pathname.replace(/\/{2,}/g, "/")}`;
  return [href, bare + search, bare];
}

const looseParts = /^\s*([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)/i;

function looseUrlsOf(text: string): string[] {
  const [, scheme = "", authority = "", path = ""] = looseParts.exec(text) ?? [];
  if (scheme === "") return [];
  const host = authority.replace(/^.*@/s, "").replace(/:\d*$/, "");
  const place = scheme.toLowerCase() === "file" ? "" : host;
  const bare = `${scheme.toLowerCase()}://${place}${path.replace(/\/{2,}/g, "/")}`;
  return [bare, URL.parse(bare)?.href ?? bare];
}

const decoder = new TextDecoder();

function fullyDecoded(uri: string): string {
  return decodeForms(uri).at(-1)!;
}

export function decodeForms(uri: string): string[] {
  const forms = [uri];
  for (let round = 0; round < maxRounds; round++) {
    const last = forms.at(-1)!;
    const next = last.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
      return decoder.decode(Uint8Array.fromHex(escapes.replaceAll("%", "")));
    });
    if (next === last) break;
    forms.push(next);
  }
  return forms;
}

/** Decodes percent escapes (RFC 3986, section 2.1); returns `text` unchanged if an escape is invalid or not UTF-8. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
