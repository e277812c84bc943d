/** Decodes text in the code pages of Windows, which programs there print in. */

export interface StreamDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
}

const labels: Readonly<Record<number, string>> = {
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  20866: "koi8-r",
  21866: "koi8-u",
  54936: "gb18030",
};

/** Returns a function that makes decoders of a code page; `undefined` for UTF-8 and for unknown code pages. */
export async function codePageDecoder(page: number): Promise<(() => StreamDecoder) | undefined> {
  if (page === 65001) return undefined;
  const label = labels[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : undefined);
  if (label !== undefined) return () => new TextDecoder(label);
  const { default: pages } = await import("iconv-lite/encodings/sbcs-data-generated.js");
  const { chars: characters } =
    (pages as Readonly<Record<string, { chars?: string }>>)[`cp${page}`] ?? {};
  if (characters === undefined) return undefined;
  const decode = (bytes: Uint8Array = new Uint8Array()) => {
    return Array.from(
      bytes,
      (byte) => byte < 0x80 ? String.fromCharCode(byte) : characters[byte - 0x80]!,
    ).join("");
  };
  return () => ({ decode });
}
