/**
 * Words that people say, and those that catalogues have for them.
 *
 * One way only: who says "thriller" may mean a tool for movies by genre, and who says "genre" does not
 * mean thrillers. General knowledge, not of any catalogue.
 */

/** Each entry: a word, a colon, and the words it may stand for. */
export const peopleWords = `
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
extension: plugin; cluster: node; node: host; pod: container
`;
