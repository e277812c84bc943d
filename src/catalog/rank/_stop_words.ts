/** Words that say nothing about which tool is meant. */

/** Function words of English, and the words that requests are wrapped in. */
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
