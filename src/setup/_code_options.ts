/**
 * Judges by its name and description whether an option of a program takes code or loads settings, which may be
 * dangerous.
 */

import type { OptionHelp } from "../help/command_help.ts";
import { firstSentence } from "../text/sentence.ts";
import { bareName, beginsReading, isPathName, writesFile } from "./_effect_guess.ts";
import type { CommandNode } from "./_tree.ts";

const runningNames =
  /^(?:(?:[\w-]+[-_ ])?(?:exec|execute|eval|command|cmd|hook|editor|prog|program|shell|script|executable)|exec-.*|run|preprocessor|pre|external-diff|rsh|ssh-command|upload-pack|receive-pack|r?require|preload|load-path)$/i;

const runningTexts =
  /\b(?:import and run|run them|arbitrary code|untrusted)\b|\b(?:runs?|execut(?:e|es|ing)|invokes?) (?!(?:the |this |a )?(?:command|program|script) (?:against|without|in|as|with|even|only|again|on)\b)(?:the |this |a |an |given |specified |shell |external |arbitrary |system )*(?:commands?|programs?|scripts?|shell|hooks?|(?:system )?calls?)\b/i;

const givenTexts =
  /\b(?:shell|system|external) (?:command|call)\b|\b(?:browser|editor|pager|viewer|program) (?:that|which) is (?:called|run|started|used)\b|\bhooks? (?:is|are|gets?) (?:run|executed|called)\b|\b(?:with|using|use|by) (?:the |an? )?(?:specified |given )?(?:[\w-]+ )?interpreter\b|\bpath to (?:a |the )?(?:formatter|plugin|preset)\b|\bcustom [\w-]+ (?:instance|implementation|module)\b|\b(?:require|preload|loads?) (?:the |a |an |this |these |given |specified |shared |additional |ruby |python )*(?:librar(?:y|ies)|modules?|plugins?|extensions?|scripts?|gems?)\b/i;

/** Matches nouns for things that a program runs, or that may do anything once they are loaded: "script", "plugin". */
const code =
  /(?:^|[ /])(?:commands?|executables?|interpreters?|hooks?|(?:binar(?:y|ies)|programs?|scripts?|modules?|plug-?ins?|gems?|shared librar(?:y|ies)|(?:JS|JavaScript|TypeScript|Python|Ruby|Lua|Perl|PHP|node|ES|CommonJS) (?:files?|modules?|scripts?|code|expressions?|formats?|snippets?))(?: (?:names?|paths?|files?))?|^(?:source )?code|^inline \w+)$/i;

const inFront =
  /^(?:(?:\w+:(?= code\b)|early-?load|specif(?:y|ies)|sets?|uses?|provides?|defines?|gives?|chooses?|selects?|overrides?|adds?|loads?|includes?|requires?|additional|custom|an?|the|one|more|or|which|what|(?:names?|paths?|locations?|lists?)(?:,? (?:of|to|for))?|director(?:y|ies) (?:with|of|containing)|given|specific|specified|your|optional|comma[- ]separated)[ ,]+)+/i;

/** Returns the noun for an option's value: "JS file" in "A path to the JS file exporting a syntax". */
function thingIn(description: string): string {
  const said = firstSentence(description).replaceAll(/\([^()]*\)|["'`<>[\]]/g, "").trim();
  const [thing = ""] = said.replace(inFront, "").split(
    /[,.;:](?: |$)|(?<! ) +(?:to|of|for|from|in|into|on|with|that|which|who|whose|when|where|as|by|under|used|\w{3,}ing|than|or|and|if|before|after)\b/i,
    1,
  );
  const isClause = thing.split(" ").length > 3 || /^(?:for|in|when|if|only|with) /i.test(thing) ||
    beginsReading.test(thing);
  return isClause ? "" : thing.trim();
}

export function runsSomething(option: OptionHelp): boolean {
  const { value, description } = option;
  const name = bareName(option);
  const isNegative =
    /^(?:no|dont|ignore|skip|disable|set|preserve)-|\b(?:do not|does not|don't|never|without|skips?|ignores?|disables?|prevents?)\b/i
      .test(`${name} ${description}`);
  if (value === undefined && isNegative) return false;
  const isNamed = value !== undefined && runningNames.test(value.placeholder);
  if (isNamed && !/\bcommand line\b/i.test(description)) return true;
  if (isNamed || runningNames.test(name)) {
    return /\b(?:run|execut|command(?! line)|program|shell|script|evaluat|filter|invok|hook|requir|load|librar)/i
      .test(description);
  }
  const isModule = /(?:^|[^a-z|])(?:module|plugin)s?$/i.test(value?.placeholder ?? "");
  return runningTexts.test(description) || value !== undefined &&
      (givenTexts.test(firstSentence(description)) || isModule || code.test(thingIn(description)) &&
          !/^(?:js|ts|py|input|files?|src)$/i.test(name));
}

const loadedNames =
  /(?:^|[-.])(?<!^(?:no|ignore|exclude|skip|add|remove|known|without|only|allow|deny|disable|list|show|print|dump|generate|file)-)(?:(?<sure>config|configs|conf|cfg|rc|rc-?file|init-?file|ruleset|rules?-?(?:dir|file)|plugins?|preset|load-?path|require|bootstrap|template-?(?:dir|engine|path|file)|(?:settings|configuration)-(?:file|path|dir))|(?<maybe>configuration|settings|(?!src)[a-z]+rc|extends?|extensions?|templates?|include-?path|imports?|modules?|loader|resolver|parser|printer|reporter|formatter|listener|processor|handler|engine|profile|rules)|env-?file|basedir|options?|opts?|args|overrides?|set|define)(?:$|[-.](?:file|path|dir|directory|name|class|module)s?$)/i;

const loadedTexts =
  /\b(?:config(?:uration)?|settings|preferences|init(?:iali[sz]ation)?|startup|bootstrap|plug-?in|preset|theme|rules?|ruleset|template)(?:\(s\))? (?:files?|scripts?|director(?:y|ies)|folders?|modules?|packages?)\b|\bcustom templates?\b|\b(?:config(?:uration)?|implementation|(?:coding )?standard|ruleset|template|theme|plug-?in|preset|printer|reporter|formatter)s? to (?:use|load|apply)\b/i;

/** Returns true if a program loads the value of `option` as settings, as a template or as code. */
export function isLoaded(option: OptionHelp, { language, help }: CommandNode): boolean {
  const { value, description } = option;
  const name = bareName(option);
  const said = `${value?.placeholder}\n${firstSentence(description)}`;
  const isOther = /^(?:o|out|output)(?:$|-)/.test(name) || writesFile.test(description) ||
    /^<?\w+>?=<?\w+>?$/.test(value?.placeholder ?? "") ||
    /\bfile extensions?\b/i.test(description) ||
    name.endsWith("resolver") && /\b(?:DNS|IP|(?:name)?servers?)\b/i.test(said) &&
      !/\b(?:files?|paths?|modules?|class|packages?)\b/i.test(said);
  if (!mayName(option) || isOther) return false;
  // Programs written for Node.js load a reporter, plugin or formatter from the package that the value names
  const isOfNpm = language === "node" || /^(?:commander|yargs|oclif|npm)$/.test(help.layout);
  if (isOfNpm && /(?:^|-)(?:reporter|store|plugin|formatter|resolver)s?$/i.test(name)) return true;
  const isFile =
    /(?:^|[ /])(?:files?|paths?|director(?:y|ies)|folders?|modules?|class(?:es)?|implementations?|plugins?|scripts?|packages?)(?: (?:names?|paths?))?$/i
      .test(thingIn(description));
  const { sure, maybe } = loadedNames.exec(name)?.groups ?? {};
  const shown = loadedNames.exec(value!.placeholder.replaceAll(/[_ ]/g, "-"))?.groups;
  return (sure ?? shown?.["sure"]) !== undefined || loadedTexts.test(said) || maybe !== undefined &&
      ([name, value!.placeholder].some(isPathName) || isFile ||
        /^(?:the |a )?(?:path|location|file)\b|\b(?:custom|load(?:s|ed)?)\b/i.test(description));
}

export function mayLoad(option: OptionHelp): boolean {
  return mayName(option) && loadedNames.test(bareName(option));
}

const partNames =
  /\bto (?:exclude|ignore|skip|omit|disable|suppress)\b|^(?!.*\b(?:files?|paths?|modules?|plug-?ins?|packages?|class(?:es)?|director(?:y|ies)|folders?|scripts?|implementations?|extensions?|(?:config\w*|presets?|profiles?|rulesets?|settings|standards?|templates?|themes?|reporters?|formatters?)(?! (?:blocks?|sections?|keys?)))\b).*\b(?:names?|ids?|codes?|blocks?|sections?|keys?)(?=$|[.,;:]| (?:of|to|for|that|which|separated)\b)/i;

const outputForm =
  /^(?![^]*(?:\bpaths? (?:to|of)\b|\btemplate files?\b|\bfiles? (?:with|containing|that)\b|\bfrom (?:an? |the )?file\b|\bdirector))(?:.*(?:template|format(?!ter))[^]*(?:\{\w+\}|%[\w(]|\bdisplay|\bformat\b)|[^]*\b(?:go|name|path|message|line) template\b)/i;

function mayName(option: OptionHelp): boolean {
  const { value, description } = option;
  const name = bareName(option);
  if (value === undefined || value.choices !== undefined || value.type !== "string") return false;
  // An option for a plugin loads code even if its value is a plain name and no path
  if (/plug-?in|preset|requir|load|bootstrap|engine|module|extension|extend|import/i.test(name)) {
    return true;
  }
  const [thing = ""] = firstSentence(description)
    .split(/ (?:in|from|inside|within|defined|declared|listed|found)\b/, 1);
  return !/^(?:exclude|ignore|skip|omit|disable)(?!.*(?:file|path|dir)$)/i.test(name) &&
    (!partNames.test(thing) || /^(?:\w+ )?(?:path|file)\b/i.test(thing)) &&
    !outputForm.test(`${name} ${value.placeholder}\n${description}`);
}
