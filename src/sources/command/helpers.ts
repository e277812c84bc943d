/** Programs in the language of an interpreter that come with climax, and the lists of names that they share with configs. */

import {
  privateFolders,
  privateNames,
  protectedNames,
  serverFiles,
} from "../../exec/private_paths.ts";
import { programPlaces } from "../../exec/search_path.ts";
import { ownProperty } from "../../text/own_property.ts";
import filesWrite from "../../../configs/helpers/files_write.pl" with { type: "text" };

/** Shared lists, by the item of `never` that stands for one. */
export const neverLists: Readonly<Record<string, readonly string[]>> = {
  "{private}": [...privateNames, ...privateFolders],
  "{protected}": protectedNames,
  "{programs}": [...programPlaces, ...serverFiles],
};

const helpers: Readonly<Record<string, string>> = { "files_write.pl": filesWrite };

/** The text of the helper `name`, with the names of the lists, which have no spaces; empty if there is none. */
export function helperText(name: string): string {
  const text = ownProperty(helpers, name) ?? "";
  return text.replaceAll(/\{\w+\}/g, (list) => ownProperty(neverLists, list)?.join(" ") ?? list);
}
