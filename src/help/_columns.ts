/** Finds the columns of a block of lines: where descriptions begin, and where options stand beside each other. */

/** A line, and its indentation in columns. */
export interface Line {
  readonly indent: number;
  /** The text of the line without white space at either end; empty for a blank line. */
  readonly text: string;
}

export function isOptionLine({ text }: Line): boolean {
  return /^-{1,2}(?:\[no-?\])?[A-Za-z0-9?#@%:!.<]/.test(text);
}

/** Returns whether a line has a name and then a text; a variable of the environment is no such name. */
export function isRow({ indent, text }: Line): boolean {
  return indent > 0 &&
    /^(?:\/[A-Z?]\S*|[<[{]*[A-Za-z][\w.:-]*[>\]}]*(?:\.{3})?(?:[,|] ?[a-z][\w.:-]*)*(?: [[<]\S+)*) {2,}\S/
      .test(text) &&
    !/^[A-Z]+_[A-Z_]+ /.test(text);
}

/** Matches a name with its value. */
const name = /^-\S+(?: (?:<[^<>]*>|\[[^[\]]*\]|[A-Z]\S*))?,?$/;

/** Options are in a second column if at least this many lines have one. */
const minRows = 2;

/** Options are searched in at most this many columns. */
const maxColumns = 4;

/** Moves options of a second column below those of the first, for help such as that of zip and unzip. */
export function unfold(lines: readonly Line[], depth = 0): Line[] {
  const counts = new Map<number, number>();
  for (const line of lines) {
    if (!line.text.includes("  -") || !isOptionLine(line)) continue;
    for (const { index, 0: gap } of line.text.matchAll(/\s{2,}(?=-{1,2}[A-Za-z0-9?])/g)) {
      const before = line.text.slice(0, index);
      // If only names and a value stand before it, this is a second form of the same option
      if (
        repeatsValue(before, line.text) ||
        before.split(/(?<=\S),?\s+(?=-)/).every((each) => name.test(each))
      ) continue;
      const column = line.indent + index + gap.length;
      counts.set(column, (counts.get(column) ?? 0) + 1);
    }
  }
  // A column with many texts that are no options is one of descriptions
  const isOfOptions = ([column, count]: readonly [number, number]) => {
    const texts = lines.filter(({ indent, text }) =>
      /^ {2}\w/.test(text.slice(Math.max(0, column - indent - 2)))
    );
    return count >= minRows && texts.length <= count / 4;
  };
  if (counts.size === 0 || depth > maxColumns) return [...lines];
  const column = Math.min(...[...counts].filter(isOfOptions).map(([at]) => at));
  if (column === Infinity) return [...lines];
  const out: Line[] = [];
  let right: Line[] = [];
  for (const line of lines) {
    const at = column - line.indent;
    const isSplit = at > 1 && line.text.slice(at - 2, at) === "  " && at < line.text.length;
    const isEnd = line.text === "" || !isOptionLine(line) && line.indent <= (right[0]?.indent ?? 0);
    if (isEnd) out.push(...unfold(right, depth + 1));
    if (isEnd) right = [];
    out.push(isSplit ? { ...line, text: line.text.slice(0, at).trim() } : line);
    if (isSplit) right.push({ ...line, text: line.text.slice(at).trim() });
  }
  return [...out, ...unfold(right, depth + 1)];
}

/** Returns whether a text ends with the value of the option before it, like the second of two spellings. */
function repeatsValue(before: string, text: string): boolean {
  const [, value] = /^-\S+ (\S+)$/.exec(before) ?? [];
  return value !== undefined && text.endsWith(`=${value}`);
}

/** One option of a line that has nothing but options and their values, as those of find. */
const unit = /-{1,2}[A-Za-z][\w-]*(?:(?: [A-Z[<{][^\s,-]*(?:-[^\s,]*)?){1,2}(?: \.\.\.| [;+])?)?/;
const row = new RegExp(
  `^(?:([^-:]{1,60}|[^-:]{1,60}\\([^()]*\\)): )?(${unit.source}(?: ${unit.source})+)$`,
);

/** Makes a line of each option where lines list options without descriptions. */
export function unpack(lines: readonly Line[]): Line[] {
  const rows = lines.map(({ text }) => text.includes(" -") ? row.exec(text) : null);
  const isList = rows.filter((each) => each !== null).length >= minRows &&
    rows.some((each) => (each?.[2] ?? "").split(/(?<!\S)-/).length > 3);
  if (!isList) return [...lines];
  return lines.flatMap((line, index) => {
    const [, title, options] = rows[index] ?? [];
    if (options === undefined) return line;
    const units = [...options.matchAll(new RegExp(unit, "g"))]
      // Here `[fdl]` means one of these letters
      .map(([text]) => ({ indent: 8, text: text.replace(/ \[(.*)\]$/, " <$1>") }));
    return title === undefined ? units : [{ indent: 0, text: `${title}:` }, ...units];
  });
}

/** Returns the columns in which the descriptions of a block begin, as two rows or more show them. */
export function descriptionColumns(lines: readonly Line[]): ReadonlySet<number> {
  const counts = new Map<number, number>();
  const add = (column: number) => counts.set(column, (counts.get(column) ?? 0) + 1);
  const rows = lines.filter(isOptionLine);
  for (const { indent, text } of rows) {
    const [, rest, column] = splitAtGap(text);
    if (rest !== "") add(indent + column);
  }
  // A text that goes on in the next line confirms its column
  lines.filter((line, at) => at > 0 && isOptionLine(lines[at - 1]!) && !isOptionLine(line))
    .filter(({ indent }) => counts.has(indent)).forEach(({ indent }) => add(indent));
  const found = [...counts].filter(([, count]) => count >= minRows && count >= rows.length / 4);
  return new Set(found.map(([column]) => column));
}

type Split = readonly [head: string, rest: string, column: number];

/** Splits a line into head and description, and returns the description's column. */
export function splitColumns({ indent, text }: Line, columns: ReadonlySet<number>): Split {
  const split = splitAtGap(text);
  if (split[1] !== "" && columns.has(indent + split[2])) return withoutMark(split);
  for (const column of columns) {
    const at = column - indent;
    const [before, rest] = [text.slice(0, Math.max(0, at)), text.slice(at)];
    // A single blank may separate a value from its name
    const isBoundary = at > 0 && (/\S\s{2,}$/.test(before) && /^\S/.test(rest) ||
      /[^\s,]\s$/.test(before) && /^[^\s<[{]\S* +[^\s-]/.test(rest));
    if (isBoundary && headOnly.test(before)) return withoutMark([before.trim(), rest, at]);
  }
  const marked = markedSplit.exec(text);
  if (marked !== null && (split[1] === "" || marked[0].length <= split[2] + 1)) {
    return [marked[1]!.trim(), text.slice(marked[0].length), marked[0].length];
  }
  return withoutMark(split);
}

/** Matches a head that has only names and at most one value. */
const headOnly =
  /^(?:-(?:[^\s,]|,(?=\S))+(?:,\s+|\s+(?:\|\s+)?))*-(?:[^\s=]+(?:\s+(?:<[^<>]*>|\[[^[\]]*\]|[A-Z][^\sa-z]*)| (?!-)\S+)|\S+)(?:,?\s+-(?:[^\s,]|,(?=\S))+(?:\s+<[^<>]*>)?)*(?: \[\+\])?\s*$/;

/** Matches a colon or a dash between head and description: `-p <ports>: only these`, `-q : say nothing`. */
const markedSplit =
  /^(-[^\s:,]+(?:(?:, ?| )-[^\s:,]+)*(?:[ =](?:<[^<>]*>|\[[^[\]]*\]|[A-Z][A-Z_]*|[a-z]+))?)(?::|\s+(?::|=(?= [a-z]+ )|--?|–|—|[-=]>))\s+(?=[^\s-])/;

/** Removes the colon in front of a description that has its own column. */
function withoutMark([head, rest, column]: Split): Split {
  return [head, rest.replace(/^(?::|=|--?|–|—|[-=]>)\s+(?=\S)/, ""), column];
}

/** A value that stands in a column of its own, between the names and the description. */
const valueCell =
  /^(?:<[^<>]+>|<[^<>\s]*\|[^<>\s]*|\[[^[\]: ]*[|=A-Z][^[\]: ]*\]|[A-Z][A-Z0-9_=-]*)(?: ?\.\.\.)?(?:\s{2,}(?=\S)|$)/;

function splitAtGap(text: string): Split {
  let from = 0;
  while (true) {
    const gap = /\s{2,}/.exec(text.slice(from));
    if (gap === null) return [text, "", text.length];
    const at = from + gap.index;
    const column = at + gap[0].length;
    const rest = text.slice(column);
    const isBare = /^-\S+(?: [A-Z<[]\S*)?(?:\s+-\S+(?: [A-Z<[]\S*)?)*\s*$/.test(text.slice(0, at));
    // In `-h  --help  what it does`, a second name is no description, and neither is a value
    const isName = repeatsValue(text.slice(0, at), rest) || isBare &&
        (/^--?[A-Za-z][\w-]*(?:[=[<,]|$|\s)/.test(rest) &&
            (/,\s*$/.test(text.slice(0, at)) || !/^-\S+ [a-z]+(?: \S+){2}/.test(rest)) ||
          valueCell.test(rest));
    if (!isName) return [text.slice(0, at), rest, column];
    from = column;
  }
}
