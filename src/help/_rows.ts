/** Completes the options that a help text lists in a table by what its usage and other texts say of them. */

import { readAnnotations } from "./_annotations.ts";
import { type OptionHead, shapeOf } from "./_option_head.ts";
import { entriesOfPlaceholders, type Entry, type Section } from "./_sections.ts";

export const empty = shapeOf("");

export interface Row {
  readonly entry: Entry;
  head: OptionHead | undefined;
}

export function settleUnshownValues(rows: readonly Row[]): void {
  if (rows.some(({ head }) => head?.value !== undefined)) return;
  const texts = rows.map(({ entry }) => entry.paragraphs.join(" "));
  const presets = rows.map(({ entry }, index) => {
    const preset = /\bDefault: ([^\s)]+)/.exec(texts[index]!)?.[1] ??
      readAnnotations(entry.paragraphs).default;
    return preset !== undefined && /\s/.test(preset) ? undefined : preset;
  });
  const hasPresets = presets.filter((each) => each !== undefined).length > 1;
  const hasFlush = rows.filter(({ entry }) => entry.isFlush).length > 2;
  for (const [index, row] of rows.entries()) {
    const preset = presets[index];
    const isSwitch = /^(?:true|false|on|off|yes|no|none|enabled|disabled)$/i.test(preset ?? "") ||
      /--(?:help|version|no-\S+)$/.test(row.entry.head);
    if (hasPresets && !isSwitch && (preset !== undefined || /^Required\b/.test(texts[index]!))) {
      row.head = { ...row.head!, value: { ...empty, preset } };
    } else if (!isSwitch && (hasPresets || hasFlush && row.entry.isFlush)) row.head = undefined;
  }
}

export function withUsageOptions(
  rows: readonly Row[],
  written: readonly OptionHead[],
  sections: readonly Section[],
): Row[] {
  const all = [...rows];
  const explanations = written.length === 0 ? [] : sections.flatMap(entriesOfPlaceholders);
  for (const head of written) {
    const known = all.filter((row) => row.head?.names.some((name) => head.names.includes(name)));
    for (const row of known) {
      // In `--map|--map-file <file>`, only `--map-file` takes the value
      const isOther = !row.head!.names.some((name) =>
        name.length === 2 || name === head.names.at(-1)
      );
      if (row.head!.value !== undefined || head.value === undefined || isOther) continue;
      row.head = { ...row.head!, value: head.value, joined: head.joined };
    }
    if (known.length > 0) continue;
    const letters = /^-(\w{2,})$/.exec(head.names[0])?.[1] ?? "";
    const shown = [...letters].filter((each) =>
      all.some((row) => row.head?.names.includes(`-${each}`))
    );
    const needed = letters.length * (head.value === undefined ? 0.5 : 1);
    if (letters !== "" && shown.length >= needed) continue;
    const positive = head.names[0].replace(/^--no-/, "--");
    const row = all.find((each) => each.head?.names.includes(positive));
    if (row !== undefined) {
      const negations = [...new Set([...row.head!.negations, ...head.names])];
      row.head = { ...row.head!, negations };
      continue;
    }
    const { placeholder = "" } = head.value ?? {};
    const explanation = explanations.find((each) => each.head === `<${placeholder}>`);
    const { paragraphs = [] } = explanation ?? {};
    const entry = { head: head.names[0], paragraphs, section: "", lines: [], isFlush: false };
    all.push({ entry, head });
  }
  return all;
}
