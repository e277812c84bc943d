/** The ways to write an address: a server may read it as a URL, decode it twice, or read a part. */

/** Rounds of decoding: some servers decode twice. */
export const maxRounds = 4;

/** The address sent for `uri`, as WHATWG URLs are; one that differs only in escapes stays. */
export function canonicalUri(uri: string): string {
  const href = URL.parse(uri)?.href;
  return href === undefined || fullyDecoded(href) === fullyDecoded(uri) ? uri : href;
}

/** All forms in which a server may read `uri`: decoded, as a URL, and without the parts that it may ignore. */
export function spellingsOf(uri: string): string[] {
  const forms = decodeForms(uri);
  return [...new Set([...forms, ...forms.flatMap(urlsOf).flatMap(decodeForms)])];
}

function urlsOf(text: string): string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const urls = [url.href];
  url.username = url.password = url.hash = "";
  // Servers read files of this machine, whichever host it says
  if (url.protocol === "file:") url.host = "";
  url.pathname = url.pathname.replace(/\/{2,}/g, "/");
  urls.push(url.href);
  url.search = "";
  return [...urls, url.href];
}

function fullyDecoded(uri: string): string {
  return decodeForms(uri).at(-1)!;
}

/** `uri` as written, and with its percent escapes decoded, once and again. */
export function decodeForms(uri: string): string[] {
  const forms = [uri];
  for (let round = 0; round < maxRounds; round++) {
    const last = forms.at(-1)!;
    const next = last.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
      const bytes = escapes.slice(1).split("%").map((byte) => parseInt(byte, 16));
      return new TextDecoder().decode(new Uint8Array(bytes));
    });
    if (next === last) break;
    forms.push(next);
  }
  return forms;
}

/** `text` with its bytes decoded; as it is written where they are not UTF-8, or `%` begins none. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
