-- Adds an entry to the index of what instances store together, or renews it, and evicts others that are in excess.
-- Returns 1 if the entry is in the index now, else 0.
--
-- KEYS[1] is the index, a hash: each field is the id of an entry, each value "OWNER BYTES UNTIL STATE".
-- KEYS[2] is the beginning of the name of each record, which ends in "OWNER/ID".
-- An entry counts if its state is "ended", or if its instance has not renewed it for `lostMs`.
-- Other programs can write into the store, so a value of another form is removed.

local id, owner, bytes, state = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local ageMs, lostMs, mustExist = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7] == '1'
local bounds = {
  { key = 'count', need = state == 'ended' and 1 or 0, all = tonumber(ARGV[8]), owner = tonumber(ARGV[9]) },
  { key = 'bytes', need = bytes, all = tonumber(ARGV[10]), owner = tonumber(ARGV[11]) },
}

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function record(of, entry)
  return KEYS[2] .. of .. '/' .. entry
end

local function remove(entry, of)
  redis.call('HDEL', KEYS[1], entry)
  redis.call('DEL', record(of or '', entry))
end

-- Longer numbers would not be exact
local maxDigits = 30

local function read(entry, value)
  local of, size, till, is = string.match(value, '^(%x+) (%d+) (%d+) (%a+)$')
  local isWhole = till and #size + #till < maxDigits
  local untilMs = isWhole and tonumber(till) or 0
  local isLost = untilMs < now + ageMs - lostMs
  return {
    id = entry,
    owner = of,
    untilMs = untilMs,
    count = (is == 'ended' or isLost) and 1 or 0,
    bytes = isWhole and tonumber(size) or 0,
  }
end

-- Returns all entries but this one, and removes those whose time is over.
local function readOthers()
  local others = {}
  local fields = redis.call('HGETALL', KEYS[1])
  for at = 1, #fields, 2 do
    local entry = read(fields[at], fields[at + 1])
    if entry.untilMs <= now then
      remove(entry.id, entry.owner)
    elseif entry.id ~= id then
      table.insert(others, entry)
    end
  end
  return others
end

-- Returns how much each owner has, by owner, and all of them together with what this entry needs.
local function sum(others, bound)
  local held, total = { [owner] = 0 }, bound.need
  for _, entry in ipairs(others) do
    held[entry.owner] = (held[entry.owner] or 0) + entry[bound.key]
    total = total + entry[bound.key]
  end
  return held, total
end

-- Returns whether a store that never evicts has too little memory for a new entry.
local function isOutOfMemory()
  if mustExist or bytes == 0 then return false end
  -- The user of climax may not be allowed to ask
  local info = tostring(redis.pcall('INFO', 'memory'))
  local most = info:find('noeviction') and info:match('maxmemory:([1-9]%d*)')
  return most and info:match('used_memory:(%d+)') + bytes * 1.25 >= tonumber(most)
end

-- Returns the owners from which an entry must be evicted, with how much each has; nothing if all bounds hold.
-- Owners with no more than this one keep theirs.
local function ownersInExcess(others)
  for _, bound in ipairs(bounds) do
    local held, total = sum(others, bound)
    if held[owner] + bound.need > bound.owner then return { [owner] = 1 } end
    if total > bound.all then
      for each, has in pairs(held) do
        if each ~= owner and has <= held[owner] then held[each] = nil end
      end
      return held
    end
  end
  return isOutOfMemory() and { [owner] = 1 } or nil
end

-- Returns the index in `others` of the oldest entry of the owner that has most; nothing if none may be evicted.
local function findVictim(others, held)
  local found, most, oldest
  for at, entry in ipairs(others) do
    local has = entry.count == 1 and held[entry.owner]
    if has and (not found or has > most or has == most and entry.untilMs < oldest) then
      found, most, oldest = at, has, entry.untilMs
    end
  end
  return found
end

if redis.call('PEXPIRE', record(owner, id), ageMs) == 0 and mustExist then return 0 end
local others = readOthers()
local excess = ownersInExcess(others)
while excess do
  local at = findVictim(others, excess)
  if not at then
    remove(id, owner)
    return 0
  end
  local victim = table.remove(others, at)
  remove(victim.id, victim.owner)
  excess = ownersInExcess(others)
end
redis.call('HSET', KEYS[1], id, string.format('%s %d %d %s', owner, bytes, now + ageMs, state))
return redis.call('PEXPIRE', KEYS[1], 2 * ageMs)
