/**
 * Words that command lines and APIs use for one another.
 *
 * General knowledge of the trade, not of any catalogue. Some words are also old programs' names
 * (`rm`, `grep`), here as the verbs they have become; no row is about one program or product.
 */

import { peopleWords } from "./_people_words.ts";

/** Each row: words of one meaning. A word may stand in several rows. */
const rows = `
list ls show display view print
get show fetch retrieve obtain read
describe info information details inspect show detail
delete remove rm erase destroy drop unset clear del
uninstall remove
create new add init generate
initialize init initialise setup bootstrap scaffold
add append insert
install add setup
update upgrade refresh
update edit modify change set patch
set configure config
rename mv move
copy cp duplicate clone
find search lookup query locate grep
run execute exec start launch invoke
start launch boot up
stop halt kill terminate shutdown
pause suspend
restart reload reboot
enable activate
disable deactivate
build compile make
make create
check verify validate test
lint check analyze
format fmt pretty beautify prettify
compare diff difference
download fetch pull
upload push publish send
deploy release publish
open launch browse
connect attach
disconnect detach
login signin authenticate auth
logout signout
log logs history
watch monitor follow tail
compress archive zip pack
extract decompress unpack unzip uncompress expand
convert transform translate export
encode encrypt
decode decrypt
import load
export save dump write
save store write
switch checkout change use
revert undo rollback restore
restore recover
backup snapshot
merge combine join concatenate
split separate divide
sort order
count number total
sync synchronize synchronise mirror
lock pin freeze hold
unlock unpin release
ignore exclude skip omit
include only
directory dir folder
file path filename
config configuration configure settings setting preferences options option
repo repository
db database
env environment
var variable
variables vars
arg argument args arguments parameter parameters param params
cmd command
pkg package
packages dependencies deps modules libraries
dep dependency
dev development
prod production
app application
doc documentation docs manual
ref reference
msg message
img image picture photo
ver version
versions releases
id identifier
pid process
addr address
ip address
net network
auth authentication authorization credentials
credential token password secret
pass password
pwd password
cert certificate
user account member
perm permission permissions access
permissions rights mode
stat status state
stats statistics
num number
max maximum
min minimum
temp temporary tmp
tmp temporary
sub subscription
org organization organisation
proj project
workspace project
remote server host
host hostname server machine
job task
task script
container instance
service daemon
interactive prompt
recursive recursively
verbose debug
quiet silent
stdin input
stdout output
lang language
language locale
current active
latest newest recent
default standard
all every
random shuffle
web website site
url link uri
link symlink
email mail
phone mobile telephone
picture image photo
movie film
song track music
tv television show
quote quotation
weather forecast
stock share equity
price cost rate
currency forex
crypto cryptocurrency
coin cryptocurrency
team club
match game fixture
match event
player athlete
league competition tournament
standings table ranking
news article headline
articles news
place location
location city
lat latitude
lon longitude lng
coordinates latitude longitude
country nation
zip postal postcode
area region
recipe meal dish
job vacancy position
company business
product item
order purchase
package parcel shipment
track tracking trace
vehicle car
video clip
trending popular top
popular top
similar related recommended
convert conversion converter
calculate compute calculator calculation
translate translation
validate validation verification
generate generator
summary summarize overview
detect detection recognition
analyze analyse analysis
`;

/** For each term, the words that may stand for it. */
export type Synonyms = ReadonlyMap<string, readonly string[]>;

/** Reads the tables, each word looked up as `toTerm` gives it. */
export function readSynonyms(toTerm: (word: string) => string): Synonyms {
  const synonyms = new Map<string, string[]>();
  const add = (word: string, others: readonly string[]) => {
    const term = toTerm(word);
    const known = synonyms.get(term) ?? [];
    const fresh = others.filter((other) => toTerm(other) !== term && !known.includes(other));
    synonyms.set(term, [...known, ...fresh]);
  };
  for (const row of rows.trim().split("\n")) {
    const words = row.split(" ");
    for (const word of words) add(word, words);
  }
  for (const entry of peopleWords.trim().split(/;\s+/)) {
    const [word, others] = entry.split(": ");
    add(word!, others!.split(" "));
  }
  return synonyms;
}
