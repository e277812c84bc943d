/** The places of what instances store together: bounded for each owner and for all, in one index. */

import type { Clock } from "../../async/clock.ts";
import type { SharedStore, WhenDown } from "../../state/store.ts";
import { sha256 } from "../../text/hash.ts";

/** Options of what instances share. */
export interface SharedOptions {
  readonly store: SharedStore;
  /** Part of the owner of everything: clients of the same name in another scope have other ids. @default none */
  readonly scope?: string;
  /** While the store is down: nothing new is begun or stored, or only this instance knows it. */
  readonly whenDown: WhenDown;
  readonly clock?: Clock;
}

/** `open`: not counted among what has ended, and never evicted while its instance renews it. */
type PlaceState = "open" | "ended";

interface PlaceBounds {
  readonly count: number;
  readonly bytes: number;
  readonly ownerCount: number;
  readonly ownerBytes: number;
  /** Milliseconds until a place is free, unless it is renewed. */
  readonly ageMs: number;
}

interface PlacesOptions {
  /** First word of the names. */
  readonly kind: string;
  readonly scope: string;
  readonly bounds: (owner: string) => PlaceBounds;
  /** Milliseconds after which an open place that was not renewed may be evicted. */
  readonly lostMs: number;
}

export class Places {
  readonly #store: SharedStore;
  readonly #options: PlacesOptions;

  constructor(store: SharedStore, options: PlacesOptions) {
    this.#store = store;
    this.#options = options;
  }

  nameOf(id: string, owner: string): string {
    return `${this.#options.kind}/${this.#keyOf(owner)}/${id}`;
  }

  /** Gives `id` a place, or renews it (`mustExist`), and evicts others for it. False: no room, or no such place. */
  async admit(
    id: string,
    owner: string,
    { bytes, state, mustExist = false }: {
      readonly bytes: number;
      readonly state: PlaceState;
      readonly mustExist?: boolean;
    },
  ): Promise<boolean> {
    const { bounds, lostMs, kind } = this.#options;
    const { count, bytes: most, ownerCount, ownerBytes, ageMs } = bounds(owner);
    const args = [id, this.#keyOf(owner), bytes, state, ageMs, lostMs, mustExist ? 1 : 0];
    const all = [...args, count, ownerCount, most, ownerBytes];
    return await this.#store.run(admitScript, [this.#index, `${kind}/`], all) === 1;
  }

  async of(owner: string): Promise<string[]> {
    const fields = await this.#store.run(listScript, [this.#index], []) as string[];
    const key = this.#keyOf(owner);
    return fields.filter((_, at) => at % 2 === 0 && fields[at + 1]!.startsWith(`${key} `));
  }

  async free(id: string, owner: string): Promise<void> {
    await this.#store.deleteFields(this.#index, [id]);
    await this.#store.delete(this.nameOf(id, owner));
  }

  /** Owners are named by a hash, as names of records are not sealed. */
  #keyOf(owner: string): string {
    return hashOf(`${this.#options.scope}\0${owner}`);
  }

  get #index(): string {
    return `${this.#options.kind}s/${hashOf(this.#options.scope)}`;
  }
}

function hashOf(text: string): string {
  return sha256(text).slice(0, 32);
}

const listScript = "return redis.call('HGETALL', KEYS[1])";

/** Each value of the index is `OWNER BYTES UNTIL STATE`. Others can write into the store: what is no entry is removed. */
const admitScript = `
local own, owner, bytes, state, age, lost, must = unpack(ARGV)
local time, record = redis.call('TIME'), KEYS[2] .. owner .. '/' .. own
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('PEXPIRE', record, age) == 0 and must == '1' then return 0 end
local function remove(id, who)
  return redis.call('HDEL', KEYS[1], id) and redis.call('DEL', KEYS[2] .. (who or '') .. '/' .. id) and 0
end
local others, index = {}, redis.call('HGETALL', KEYS[1])
for at = 1, #index, 2 do
  local id, who, size, till, is = index[at], string.match(index[at + 1], '^(%x+) (%d+) (%d+) (%a+)$')
  local ms = till and #size + #till < 30 and tonumber(till) or 0
  local counts = (is == 'ended' or ms < now + age - lost) and 1 or 0
  if ms <= now then remove(id, who)
  elseif id ~= own then table.insert(others, { id = id, owner = who, till = ms, counts, tonumber(size) }) end
end
local function evictable()
  for at, need in ipairs({ state == 'ended' and 1 or 0, tonumber(bytes) }) do
    local held, total = { [owner] = 0 }, need
    for _, each in ipairs(others) do
      held[each.owner], total = (held[each.owner] or 0) + each[at], total + each[at]
    end
    if held[owner] + need > tonumber(ARGV[7 + 2 * at]) then return { [owner] = 1 } end
    for who, sum in pairs(held) do if who ~= owner and sum <= held[owner] then held[who] = nil end end
    if total > tonumber(ARGV[6 + 2 * at]) then return held end
  end
  local memory = tostring(must == '0' and bytes ~= '0' and redis.pcall('INFO', 'memory'))
  local most = memory:find('noeviction') and memory:match('maxmemory:([1-9]%d*)')
  if most and memory:match('used_memory:(%d+)') + bytes * 1.25 >= tonumber(most) then return { [owner] = 1 } end
end
for from in evictable do
  local best, found
  for at, each in ipairs(others) do
    local rank = each[1] == 1 and from[each.owner] and { from[each.owner], each.till }
    if rank and (not best or rank[1] > best[1] or rank[1] == best[1] and rank[2] < best[2]) then best, found = rank, at end
  end
  if not found then return remove(own, owner) end
  remove(others[found].id, table.remove(others, found).owner)
end
redis.call('HSET', KEYS[1], own, string.format('%s %d %d %s', owner, bytes, now + age, state))
return redis.call('PEXPIRE', KEYS[1], 2 * age)`;
