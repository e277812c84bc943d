/** The width of a text on a screen, in cells, by what Unicode says of its characters. */

import { stripControlSequences } from "./control_sequences.ts";

/** Characters of one cell each: ASCII, Latin letters, dashes, quotes, the ellipsis and the check mark. */
const narrow = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2713]*$/;

/** What takes no cell. */
const hidden =
  /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Mn}\p{Me}\p{Surrogate}]+$/v;

/** What takes two: pictures, and the characters of East Asia but those of half width. */
const wide =
  /^(?:\p{RGI_Emoji}|[[\u2329\u232a\u4dc0-\u4dff\u2ff0-\u2fff\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{sc=Tangut}\p{sc=Nushu}\u3000-\u303e\u3099-\u33ff\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6]--[\u1160-\u11ff\uff61-\uffdc]])/v;

/** The width of `text`, without its control sequences. */
export function cellWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  return [...new Intl.Segmenter().segment(stripControlSequences(text))].reduce(
    (sum, { segment }) => sum + (hidden.test(segment) ? 0 : wide.test(segment) ? 2 : 1),
    0,
  );
}
