/** Lists words of queries that say little about which tool is meant, and verbs by what they say about it. */

export const stopWords: ReadonlySet<string> = new Set(
  `a about above across after again all also although always am an and any anyone anything are as at
  be because been before being below between both but by can cannot could did do does doing done down
  during each either etc even ever every everyone everything few for from further had has have having
  he her here hers him his how however i if in into is it its itself just let like may me might mine
  more most much must my myself neither no nor not now of off on once one only onto or other others
  our ours out over own per rather really s same shall she should so some someone something such than
  that the their theirs them themselves then there therefore these they this those through thus to
  too under until up upon us very via was we were what when where whether which while who whom whose
  why will with within without would yes yet you your yours
  additionally appreciate appreciated assist currently great greatly help hey hello hi im ive id
  interested kindly know lastly look looking love moreover need needs please planning provide provided
  providing quick tell thank thanks think try trying valuable want wants wondering wish working
  additional furthermore using use used specific specified specify given certain particular various`
    .split(/\s+/),
);

/** Verbs that ask for information, such as "show": nearly any tool that reads could be meant. */
export const genericVerbs: ReadonlySet<string> = new Set(
  "show list get display view see give find print".split(" "),
);

export const listVerbs: ReadonlySet<string> = new Set(["list", "ls"]);

/** Returns whether `word` is spelled as a plural; "status" and "access" are not. */
export function isPlural(word: string): boolean {
  return word.length > 3 && /[^sui]s$/.test(word) && !stopWords.has(word);
}

export const questionWords: ReadonlySet<string> = new Set(
  "are did do does has have how is was were what when where which who why".split(" "),
);

export const changeVerbs: ReadonlySet<string> = new Set(
  `abort activate add amend apply append archive assign attach block bump cancel change checkout
  clean clear clone close commit compile compress configure connect convert copy create crop cut
  deactivate decompress delete deploy detach disable discard disconnect download drain drop edit
  empty enable encrypt erase execute export extract fetch fix force format generate go import init
  initialize insert install invite join kill launch lock make mark merge mount move mute overwrite
  pause pin prune publish pull purge push put reboot rebase recover redo reject release reload
  remove rename reopen replace resize reset resolve restart restore resume revert rewrite rm roll
  rollback rotate save scale send set split squash stage start stash stop store submit subscribe
  suspend switch sync terminate throw transfer trash trigger trim turn uncompress undo uninstall
  unlock unpack unpin unstage unset unzip update upgrade upload write zip`
    .split(/\s+/),
);

const vagueVerbs = new Set(
  `activate amend bump checkout clean commit fetch fix force format go make mark move pull put
  recover resolve roll save scale set store throw turn unset`.split(/\s+/),
);

/** Verbs that mean one operation each, such as "delete": a tool that does it has the verb in its texts. */
export const operationVerbs: ReadonlySet<string> = new Set([
  ...changeVerbs.difference(vagueVerbs),
  ...`alter animate approve authorize ban benchmark blur book build burn buy call capture
  cast charge chmod chown classify click cordon crawl decode decrypt defragment deliver destroy dictate
  dismiss draw email encode enroll exec expose fax flush follow fork forward grant hire inject link mail
  message migrate minify navigate notify obfuscate optimize order paint paste pay ping play post predict
  press promote protect provision raise record redact refactor refund register reindex remind render renew
  rent repair replicate reply reserve revoke ring schedule scrape screenshot sell ship shut shutdown
  sign simulate sniff snooze solve ssh summarize synthesize taint train transcribe transform translate
  truncate tunnel tweet unblock unfollow unmount unsubscribe vacuum vote wake watermark whitelist wipe
  withdraw`.split(/\s+/),
]);

/** Verbs that act on something, which a request names after the verb, as in "delete the branch". */
export const objectVerbs: ReadonlySet<string> = new Set([
  ...operationVerbs.union(vagueVerbs),
  ..."get give print take".split(" "),
]);
