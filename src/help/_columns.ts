/** Finds the columns of a help text's table: where descriptions begin, and whether two options stand side by side. */

export interface Line {
  readonly indent: number;
  readonly text: string;
}

export function isOptionLine({ text }: Line): boolean {
  return /^-{1,2}(?:\[no-?\])?[A-Za-z0-9?#@%:!.<]/.test(text);
}

export function isRow({ indent, text }: Line): boolean {
  return indent > 0 &&
    /^(?:\/[A-Z?]\S*|[<[{]*[A-Za-z][\w.:-]*[>\]}]*(?:\.{3})?(?:[,|] ?[a-z][\w.:-]*)*(?: [[<]\S+)*) {2,}\S/
      .test(text) &&
    !/^[A-Z]+_[A-Z_]+ /.test(text);
}

const name = /^-\S+(?: (?:<[^<>]*>|\[[^[\]]*\]|[A-Z]\S*))?,?$/;

const minRows = 2;

const maxColumns = 4;

/** Puts options of a right column below those of the left one: zip and unzip print two options in a line. */
export function unfold(lines: readonly Line[], depth = 0): Line[] {
  const counts = new Map<number, number>();
  for (const line of lines) {
    if (!line.text.includes("  -") || !isOptionLine(line)) continue;
    for (const { index, 0: gap } of line.text.matchAll(/\s{2,}(?=-{1,2}[A-Za-z0-9?])/g)) {
      const before = line.text.slice(0, index);
      if (
        repeatsValue(before, line.text) ||
        before.split(/(?<=\S),?\s+(?=-)/).every((each) => name.test(each))
      ) continue;
      const column = line.indent + index + gap.length;
      counts.set(column, (counts.get(column) ?? 0) + 1);
    }
  }
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

function repeatsValue(before: string, text: string): boolean {
  const [, value] = /^-\S+ (\S+)$/.exec(before) ?? [];
  return value !== undefined && text.endsWith(`=${value}`);
}

const unit = /-{1,2}[A-Za-z][\w-]*(?:(?: [A-Z[<{][^\s,-]*(?:-[^\s,]*)?){1,2}(?: \.\.\.| [;+])?)?/;
const row = new RegExp(
  `^(?:([^-:]{1,60}|[^-:]{1,60}\\([^()]*\\)): )?(${unit.source}(?: ${unit.source})+)$`,
);

export function unpack(lines: readonly Line[]): Line[] {
  const rows = lines.map(({ text }) => text.includes(" -") ? row.exec(text) : null);
  const isList = rows.filter((each) => each !== null).length >= minRows &&
    rows.some((each) => (each?.[2] ?? "").split(/(?<!\S)-/).length > 3);
  if (!isList) return [...lines];
  return lines.flatMap((line, index) => {
    const [, title, options] = rows[index] ?? [];
    if (options === undefined) return line;
    const units = [...options.matchAll(new RegExp(unit, "g"))]
      .map(([text]) => ({ indent: 8, text: text.replace(/ \[(.*)\]$/, " <$1>") }));
    return title === undefined ? units : [{ indent: 0, text: `${title}:` }, ...units];
  });
}

export function descriptionColumns(lines: readonly Line[]): ReadonlySet<number> {
  const counts = new Map<number, number>();
  const add = (column: number) => counts.set(column, (counts.get(column) ?? 0) + 1);
  const rows = lines.filter(isOptionLine);
  for (const { indent, text } of rows) {
    const [, rest, column] = splitAtGap(text);
    if (rest !== "") add(indent + column);
  }
  lines.filter((line, at) => at > 0 && isOptionLine(lines[at - 1]!) && !isOptionLine(line))
    .filter(({ indent }) => counts.has(indent)).forEach(({ indent }) => add(indent));
  const found = [...counts].filter(([, count]) => count >= minRows && count >= rows.length / 4);
  return new Set(found.map(([column]) => column));
}

type Split = readonly [head: string, rest: string, column: number];

export function splitColumns({ indent, text }: Line, columns: ReadonlySet<number>): Split {
  const split = splitAtGap(text);
  if (split[1] !== "" && columns.has(indent + split[2])) return withoutMark(split);
  for (const column of columns) {
    const at = column - indent;
    const [before, rest] = [text.slice(0, Math.max(0, at)), text.slice(at)];
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

const headOnly =
  /^(?:-(?:[^\s,]|,(?=\S))+(?:,\s+|\s+(?:\|\s+)?))*-(?:[^\s=]+(?:\s+(?:<[^<>]*>|\[[^[\]]*\]|[A-Z][^\sa-z]*)| (?!-)\S+)|\S+)(?:,?\s+-(?:[^\s,]|,(?=\S))+(?:\s+<[^<>]*>)?)*(?: \[\+\])?\s*$/;

/** Matches the colon or dash between an option and its description: `-p <ports>: only these`, `-q : say nothing`. */
const markedSplit =
  /^(-[^\s:,]+(?:(?:, ?| )-[^\s:,]+)*(?:[ =](?:<[^<>]*>|\[[^[\]]*\]|[A-Z][A-Z_]*|[a-z]+))?)(?::|\s+(?::|=(?= [a-z]+ )|--?|–|—|[-=]>))\s+(?=[^\s-])/;

function withoutMark([head, rest, column]: Split): Split {
  return [head, rest.replace(/^(?::|=|--?|–|—|[-=]>)\s+(?=\S)/, ""), column];
}

const valueCell =
  /^(?:<[^<>]+>|<[^<>\s]*\|[^<>\s]*|\[[^[\]: ]*[|=A-Z][^[\]: ]*\]|[A-Z][A-Z0-9_=-]*)(?: ?\.\.\.)?(?:\s{2,}(?=\S)|$)/;

function splitAtGap(text: string): Split {
  for (const { index, 0: gap } of text.matchAll(/\s{2,}/g)) {
    const column = index + gap.length;
    const [before, rest] = [text.slice(0, index), text.slice(column)];
    const isBare = /^-\S+(?: [A-Z<[]\S*)?(?:\s+-\S+(?: [A-Z<[]\S*)?)*\s*$/.test(before);
    const isName = repeatsValue(before, rest) || isBare &&
        (/^--?[A-Za-z][\w-]*(?:[=[<,]|$|\s)/.test(rest) &&
            (/,\s*$/.test(before) || !/^-\S+ [a-z]+(?: \S+){2}/.test(rest)) ||
          valueCell.test(rest));
    if (!isName) return [before, rest, column];
  }
  return [text, "", text.length];
}
