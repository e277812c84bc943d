/**
 * The places of what instances store together: bounded in number and bytes, for each owner and for all. The store has
 * one record for each, and an index of all of them, which is changed in one operation.
 */

import type { SharedStore } from "../../state/store.ts";
import { sha256 } from "../../text/hash.ts";

/** `open`: not counted among what has ended, and never evicted while its instance renews it. */
export type PlaceState = "open" | "ended";

/** Bounds of all owners together, and of one. */
export interface PlaceBounds {
  readonly count: number;
  readonly bytes: number;
  readonly ownerCount: number;
  readonly ownerBytes: number;
  /** Milliseconds until a place is free, unless it is renewed. */
  readonly ageMs: number;
}

export interface PlacesOptions {
  /** First word of the names. */
  readonly kind: string;
  /** Owners of the same name in another scope are others. */
  readonly scope: string;
  readonly bounds: (owner: string) => PlaceBounds;
  /** Milliseconds after which an open place that was not renewed may be evicted. */
  readonly lostMs: number;
}

/** A place that is in the index. */
export interface IndexedPlace {
  readonly id: string;
  readonly state: PlaceState;
}

export class Places {
  readonly #store: SharedStore;
  readonly #options: PlacesOptions;

  constructor(store: SharedStore, options: PlacesOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** The name of the record of `owner`'s `id`. */
  nameOf(id: string, owner: string): string {
    return `${this.#base}${this.#keyOf(owner)}/${id}`;
  }

  /**
   * Gives `id` a place, and evicts others for it: the oldest of its owner, or of the owner with most. With
   * `mustExist`, changes its place. Returns false if there is no room, in the memory of the store either, or no such
   * place.
   */
  async admit(
    id: string,
    owner: string,
    { bytes, state, mustExist = false }: {
      readonly bytes: number;
      readonly state: PlaceState;
      readonly mustExist?: boolean;
    },
  ): Promise<boolean> {
    const { bounds: boundsOf, lostMs } = this.#options;
    const { count, bytes: most, ownerCount, ownerBytes, ageMs } = boundsOf(owner);
    const args = [id, this.#keyOf(owner), bytes, state, ageMs, lostMs, mustExist ? 1 : 0];
    const bounds = [count, ownerCount, most, ownerBytes];
    const admitted = await this.#store.run(admitScript, this.#names, [...args, ...bounds]);
    return admitted === 1;
  }

  /** Renews open places. Returns the ids without one. */
  async renew(
    places: readonly { readonly id: string; readonly owner: string }[],
  ): Promise<readonly string[]> {
    if (places.length === 0) return [];
    const { bounds } = this.#options;
    const args = places.flatMap(({ id, owner }) => [id, this.#keyOf(owner), bounds(owner).ageMs]);
    return await this.#store.run(renewScript, this.#names, args) as string[];
  }

  /** The places of `owner`. */
  async of(owner: string): Promise<IndexedPlace[]> {
    const found = await this.#store.run(listScript, this.#names, [this.#keyOf(owner)]) as string[];
    return found.map((text) => {
      const [id, state] = text.split(" ");
      return { id: id!, state: state as PlaceState };
    });
  }

  /** Frees the place of `id`. */
  async free(id: string, owner: string): Promise<void> {
    await this.#store.run(freeScript, this.#names, [id, this.#keyOf(owner)]);
  }

  /** Owners are named by a hash, as names of records are not sealed. */
  #keyOf(owner: string): string {
    return hashOf(`${this.#options.scope}\0${owner}`);
  }

  get #base(): string {
    return `${this.#options.kind}/`;
  }

  /** The index, and the beginning of the names of records. Each scope has its own bounds. */
  get #names(): readonly string[] {
    return [`${this.#options.kind}s/${hashOf(this.#options.scope)}`, this.#base];
  }
}

function hashOf(text: string): string {
  return sha256(text).slice(0, 32);
}

/** Reads the index: each value is `OWNER BYTES UNTIL STATE`. */
const readIndex = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function remove(each)
  redis.call('HDEL', KEYS[1], each.id)
  redis.call('DEL', KEYS[2] .. each.owner .. '/' .. each.id)
end
local function write(each)
  redis.call('HSET', KEYS[1], each.id,
    string.format('%s %d %d %s', each.owner, each.bytes, each.till, each.state))
end
local function parse(id, value)
  local owner, bytes, till, state = string.match(value, '^(%x+) (%d+) (%d+) (%a+)$')
  bytes, till = tonumber(bytes), tonumber(till)
  -- Others can write into the store: what is no entry is gone
  if not till or till > 2 ^ 53 or bytes > 2 ^ 53 then
    redis.call('HDEL', KEYS[1], id)
    return nil
  end
  return { id = id, owner = owner, bytes = bytes, till = till, state = state }
end
local function all()
  local found, values = {}, redis.call('HGETALL', KEYS[1])
  for at = 1, #values, 2 do
    local each = parse(values[at], values[at + 1])
    if each and each.till <= now then remove(each) elseif each then found[#found + 1] = each end
  end
  table.sort(found, function(one, other)
    if one.till == other.till then return one.id < other.id end
    return one.till < other.till
  end)
  return found
end`;

const admitScript = `${readIndex}
local own = { id = ARGV[1], owner = ARGV[2], bytes = tonumber(ARGV[3]), state = ARGV[4] }
local age, lost = tonumber(ARGV[5]), tonumber(ARGV[6])
own.till = now + age
local others, known = {}, false
for _, each in ipairs(all()) do
  if each.id ~= own.id then others[#others + 1] = each
  elseif each.owner == own.owner then known = true
  else return 0 end
end
if ARGV[7] == '1' and not known then return 0 end
local function counts(each)
  return each.state == 'ended' or each.till < now + age - lost
end
local function one(each) return counts(each) and 1 or 0 end
local function size(each) return each.bytes end
local function held(weigh)
  local sums, total = { [own.owner] = 0 }, 0
  for _, each in ipairs(others) do
    sums[each.owner] = (sums[each.owner] or 0) + weigh(each)
    total = total + weigh(each)
  end
  return sums, total
end
local function evict(may)
  local found, most = nil, -1
  for at, each in ipairs(others) do
    local weight = counts(each) and may(each) or -1
    if weight > most then found, most = at, weight end
  end
  if not found then return false end
  remove(table.remove(others, found))
  return true
end
local function ofOwner(each) return each.owner == own.owner and 0 or -1 end
local function within(weigh, bound, ownBound)
  local need = weigh(own)
  if need == 0 then return true end
  while true do
    local sums, total = held(weigh)
    local mine = sums[own.owner]
    local done
    if mine + need > ownBound then
      done = evict(ofOwner)
    elseif total + need > bound then
      done = evict(function(each)
        if each.owner == own.owner or sums[each.owner] > mine then return sums[each.owner] end
        return -1
      end)
    else return true end
    if not done then return false end
  end
end
local function hasMemory()
  local text = redis.pcall('INFO', 'memory')
  if own.bytes == 0 or type(text) ~= 'string' then return true end
  local most = tonumber(string.match(text, 'maxmemory:(%d+)'))
  if most == 0 or not string.find(text, 'maxmemory_policy:noeviction', 1, true) then return true end
  return tonumber(string.match(text, 'used_memory:(%d+)')) + own.bytes * 1.25 < most
end
local function free()
  while not hasMemory() do
    if not evict(ofOwner) then return false end
  end
  return true
end
local fits = within(one, tonumber(ARGV[8]), tonumber(ARGV[9])) and
  within(size, tonumber(ARGV[10]), tonumber(ARGV[11])) and (ARGV[7] == '1' or free())
if not fits then
  if known then remove(own) end
  return 0
end
write(own)
redis.call('PEXPIRE', KEYS[1], 2 * age)
return 1`;

const renewScript = `${readIndex}
local missing = {}
for at = 1, #ARGV, 3 do
  local id, owner, age = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local value = redis.call('HGET', KEYS[1], id)
  local each = value and parse(id, value)
  if each and redis.call('PEXPIRE', KEYS[2] .. owner .. '/' .. id, age) == 1 then
    each.till = now + age
    write(each)
    redis.call('PEXPIRE', KEYS[1], 2 * age)
  else missing[#missing + 1] = id end
end
return missing`;

const freeScript = `${readIndex}
remove({ id = ARGV[1], owner = ARGV[2] })`;

const listScript = `${readIndex}
local found = {}
for _, each in ipairs(all()) do
  if each.owner == ARGV[1] then found[#found + 1] = each.id .. ' ' .. each.state end
end
return found`;
