-- Each value of the index is `OWNER BYTES UNTIL STATE`. Others can write into the store: what is no entry is removed.
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
return redis.call('PEXPIRE', KEYS[1], 2 * age)
