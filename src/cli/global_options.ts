/**
 * The options that every command takes: `--color`, `--quiet`, `--verbose`. They act as soon as they are read, so
 * that an error on the same command line follows them, and they may also come in front of the command's name.
 */

import { type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { logLevel, setLogLevel, setQuiet } from "../log.ts";
import { type ColourMode, colourModes, setColourMode } from "../terminal.ts";
import { oneOf } from "./options.ts";

const heading = "Options of every command:";

const readColourMode = oneOf<ColourMode>("--color", colourModes);

/** Adds the options to `command`. */
export function addGlobalOptions(command: CommandUnknownOpts): void {
  const color = new Option("--color <when>", "colour what is printed").choices(colourModes)
    .argParser(readColourMode).default("auto");
  const quiet = new Option("-q, --quiet", "print results and errors only");
  const verbose = new Option("-v, --verbose", "log more; -vv logs most");
  for (const option of [color, quiet, verbose]) command.addOption(option.helpGroup(heading));
  command.on("option:color", (word: string) => setColourMode(readColourMode(word)));
  command.on("option:quiet", () => {
    setQuiet(true);
    setLogLevel("error");
  });
  command.on("option:verbose", () => setLogLevel(logLevel() === "info" ? "debug" : "info"));
}

/** The values of the options of `command` alone; `--verbose` stands for a `--log-level` that was not given. */
export function ownOptions(command: CommandUnknownOpts): Readonly<Record<string, unknown>> {
  const { color: _color, quiet: _quiet, verbose: _verbose, ...own } = command.opts();
  const isPreset = command.getOptionValueSource("logLevel") === "default";
  return isPreset ? { ...own, logLevel: logLevel() } : own;
}
