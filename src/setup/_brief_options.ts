/** Chooses the few options of a command that an agent most likely needs, for `climax generate --brief`. */

import { briefCount } from "./help_bounds.ts";
import { mainName, type OptionHelp } from "../help/command_help.ts";

const common =
  /^--?(?:all|check|dry-run|filter|fix|force|format|json|limit|lines|list|max-[\w-]+|name|output|recursive|reverse|since|sort|until|write)$/i;

/** Headings above options about something else than what the command does. */
const sideSubjects =
  /config|parser|log(?:s|ging)?\b|profil|diagnos|cache|debug|advanced|global|integrat/i;

/** Options about how the program does its work. */
const sideOptions = /^--?(?:profile|debug|trace|log|config|verbose|quiet|silent)(?:-|$)/i;

/** The most useful of `options`, in their order; all of them when they are few. */
export function briefOptions(options: readonly OptionHelp[]): readonly OptionHelp[] {
  if (options.length <= briefCount) return options;
  // A usage line that names most options says nothing about any
  const isTelling = options.filter(({ inUsage }) => inUsage).length <= 2 * briefCount;
  const best = options
    .map((option, index) => ({
      option,
      score: scoreOf(option, isTelling) - 3 * index / options.length,
    }))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, briefCount).map(({ option }) => option);
  return options.filter((option) => best.includes(option));
}

function scoreOf(option: OptionHelp, isTelling: boolean): number {
  const { names, required, inUsage, description, section } = option;
  return (required ? 100 : 0) + (inUsage && isTelling ? 20 : 0) +
    (names.some((name) => /^-\w$/.test(name)) ? 6 : 0) + (common.test(mainName(option)) ? 6 : 0) +
    (description === "" ? 0 : 2) - (sideSubjects.test(section) ? 10 : 0) -
    (sideOptions.test(mainName(option)) ? 25 : 0);
}
