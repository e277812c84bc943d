/** Draws commands and their output as a terminal, in SVG: text that scales, and that a search finds. */

/** Colours of a picture. */
interface Theme {
  readonly background: string;
  readonly border: string;
  readonly text: string;
  readonly dim: string;
  readonly command: string;
  readonly refusal: string;
  readonly question: string;
  readonly answer: string;
}

/** The colours on light and on dark pages. */
export const themes: Readonly<Record<"light" | "dark", Theme>> = {
  light: {
    background: "#f6f8fa",
    border: "#d0d7de",
    text: "#1f2328",
    dim: "#59636e",
    command: "#0550ae",
    refusal: "#b3261e",
    question: "#8a5a00",
    answer: "#1a7f37",
  },
  dark: {
    background: "#0d1117",
    border: "#30363d",
    text: "#e6edf3",
    dim: "#9198a1",
    command: "#79c0ff",
    refusal: "#ff7b72",
    question: "#e3b341",
    answer: "#3fb950",
  },
};

/** A command line and what it printed. */
export interface ShownCommand {
  readonly line: string;
  readonly output: string;
}

const lineHeight = 21;
const charWidth = 8.4;
const padding = 20;

interface Line {
  readonly text: string;
  readonly colour: string;
  /** Seconds until it appears; absent: it is there at once. */
  readonly delay?: number;
}

/** Returns the SVG of commands with their output. */
export function terminalPicture(commands: readonly ShownCommand[], theme: Theme): string {
  const lines = commands.flatMap(({ line, output }, index) => [
    ...(index === 0 ? [] : [{ text: "", colour: theme.text }]),
    { text: `$ ${line}`, colour: theme.command },
    ...output.split("\n").map((text) => ({ text, colour: colourOf(text, output, theme) })),
  ]);
  return draw(lines, commands.map(({ line }) => line).join("; "), theme);
}

/** Seconds before the lines of a kind, when another kind was in front of them. */
const pauses = { command: 1.2, question: 0.9, answer: 2, text: 0.6 } as const;

/** Returns the SVG of an agent's calls, the questions and the answers, which appear one after the other, once. */
export function movingPicture(texts: readonly string[], theme: Theme): string {
  let [last, delay] = ["answer", 0];
  const lines = texts.map((text) => {
    const kind = /^(?:You:| {2}>)/.test(text)
      ? "answer"
      : /^\S/.test(text)
      ? "command"
      : text.startsWith("  ?")
      ? "question"
      : "text";
    if (kind !== last) delay += pauses[kind];
    last = kind;
    return { text, colour: theme[kind], delay };
  });
  return draw(lines, texts.filter((text) => /^(?:\S| {2}[?>])/.test(text)).join("; "), theme);
}

const appearing = "<style>@keyframes a{to{opacity:1}}.a{opacity:0;animation:a .2s forwards}" +
  "@media(prefers-reduced-motion:reduce){.a{opacity:1;animation:none}}</style>";

function draw(lines: readonly Line[], title: string, theme: Theme): string {
  const columns = Math.max(...lines.map(({ text }) => text.length));
  const width = Math.ceil(columns * charWidth + 2 * padding);
  const height = lines.length * lineHeight + 2 * padding;
  const label = escapeXml(title);
  const isMoving = lines.some(({ delay }) => delay !== undefined);
  return `${
    [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
      ...(isMoving ? [appearing] : []),
      `<rect x="0.5" y="0.5" width="${width - 1}" height="${
        height - 1
      }" rx="8" fill="${theme.background}" stroke="${theme.border}"/>`,
      `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
      ...lines.flatMap(({ text, colour, delay }, index) => {
        const y = padding + index * lineHeight + 15;
        return words(text).map(({ text, column }) => {
          const x = (padding + column * charWidth).toFixed(1);
          // The same width in every font
          const length = (text.length * charWidth).toFixed(1);
          const place = `x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
          const when = delay === undefined
            ? ""
            : `class="a" style="animation-delay:${delay.toFixed(1)}s" `;
          return `<text ${when}${place} fill="${colour}">${escapeXml(text)}</text>`;
        });
      }),
      "</g>",
      "</svg>",
    ].join("\n")
  }\n`;
}

/** The parts of a line between wide spaces, each with its column: SVG collapses spaces. */
function words(line: string): { readonly text: string; readonly column: number }[] {
  return [...line.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({ text, column: index }));
}

/** The colour of a line of an output: heads of tables are dim, refusals red. */
function colourOf(text: string, output: string, theme: Theme): string {
  if (output.startsWith("Policy validation failed")) return theme.refusal;
  return /^[A-Z]+(?: {2,}[A-Z]+)+$/.test(text) ? theme.dim : theme.text;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
