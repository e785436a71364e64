import { NOW_MS, script } from "../../redis/script.js";

/** What `ADMIT` returns for a batch that was admitted before. */
export const REPEATED = -1;
/** What `ADMIT` returns for a batch that there is no room for. */
export const FULL = -2;

/** Spans and bytes of all entries, also of those in flight. A counter that does not fit an empty stream is put right. */
const COUNTERS = `${NOW_MS}
local function counters()
  local used = redis.call('HMGET', KEYS[2], 'spans', 'bytes')
  return tonumber(used[1] or 0), tonumber(used[2] or 0)
end
local function setCounters(spans, bytes)
  if redis.call('XLEN', KEYS[1]) == 0 then
    redis.call('HDEL', KEYS[2], 'spans', 'bytes')
    return 0, 0
  end
  spans, bytes = math.max(0, spans), math.max(0, bytes)
  redis.call('HSET', KEYS[2], 'spans', spans, 'bytes', bytes)
  return spans, bytes
end
local function field(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then return fields[i + 1] end
  end
  return ''
end
`;

/**
 * Admits batches in their order: refuses those that come too late for their senders, recognizes a repeated one, makes room, appends.
 * The first write is XADD or XDEL: a full Redis refuses XADD, and nothing is changed. The key of a batch is set last. Returns the
 * counters and the time, then for each batch: the spans that were evicted for it with the id of its entry, `REPEATED` or `FULL`. No batch if
 * all are too late.
 *
 * Keys: stream, counters, keys of batches. Arguments: deadline, limits in spans and bytes, marks in spans and bytes (the hard
 * limit), mode, time to remember a batch. Then of each batch: spans, bytes, 1 if it has a key, number of fields, fields of the entry.
 */
export const ADMIT = script(`${COUNTERS}
local now = nowMs()
local spans, bytes = counters()
if now > tonumber(ARGV[1]) then return {spans, bytes, now} end
if spans + bytes ~= 0 and redis.call('XLEN', KEYS[1]) == 0 then spans, bytes = 0, 0 end
local maxSpans, maxBytes = tonumber(ARGV[2]), tonumber(ARGV[3])
local markSpans, markBytes = tonumber(ARGV[4]), tonumber(ARGV[5])

local function evict(addedSpans, addedBytes)
  local delivered = '0-0'
  local groups = redis.pcall('XINFO', 'GROUPS', KEYS[1])
  if not groups.err and groups[1] then delivered = field(groups[1], 'last-delivered-id') end
  local spansLeft = math.floor(math.max(addedSpans, markSpans)) - addedSpans
  local bytesLeft = math.floor(math.max(addedBytes, markBytes)) - addedBytes
  local evicted = 0
  while spans > spansLeft or bytes > bytesLeft do
    local oldest = redis.call('XRANGE', KEYS[1], '(' .. delivered, '+', 'COUNT', 1)[1]
    if not oldest then break end
    redis.call('XDEL', KEYS[1], oldest[1])
    local count = tonumber(field(oldest[2], 'n')) or 0
    evicted = evicted + count
    spans, bytes = spans - count, bytes - #field(oldest[2], 'b')
  end
  return evicted
end

local admissions, nextKey, at, isChanged = {}, 3, 8, false
while at <= #ARGV do
  local addedSpans, addedBytes = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local first, last = at + 4, at + 3 + tonumber(ARGV[at + 3])
  local key
  if ARGV[at + 2] == '1' then key, nextKey = KEYS[nextKey], nextKey + 1 end
  local isOver = spans >= markSpans or bytes >= markBytes
  isOver = isOver or spans + addedSpans > maxSpans or bytes + addedBytes > maxBytes
  local admission = 0
  if key and redis.call('EXISTS', key) == 1 then
    admission = ${REPEATED}
  elseif isOver and ARGV[6] == 'reject' then
    admission = ${FULL}
  else
    if isOver then admission = evict(addedSpans, addedBytes) end
    admission = {admission, redis.call('XADD', KEYS[1], '*', unpack(ARGV, first, last))}
    isChanged = true
    spans, bytes = math.max(0, spans) + addedSpans, math.max(0, bytes) + addedBytes
    if key then redis.call('SET', key, '', 'PX', ARGV[7]) end
  end
  admissions[#admissions + 1] = admission
  at = last + 1
end
if isChanged then redis.call('HSET', KEYS[2], 'spans', spans, 'bytes', bytes) end
return {spans, bytes, now, unpack(admissions)}
`);

/** `isOwn(id)`: true for an entry that was given to the consumer and to nobody after it. Arguments: group, consumer. */
const IS_OWN = `
local function isOwn(id)
  return redis.pcall('XPENDING', KEYS[1], ARGV[1], id, id, 1, ARGV[2])[1] ~= nil
end
`;

/**
 * Acknowledges entries that the consumer owns, and deletes them. Returns the counters, and 1 for each of these entries, 0 for others.
 *
 * Keys: stream, counters. Arguments: group, consumer, then id, spans and bytes of each entry.
 */
export const ACKNOWLEDGE = script(`${COUNTERS}${IS_OWN}
local spans, bytes = counters()
local reply = {spans, bytes}
local isChanged = false
for i = 3, #ARGV, 3 do
  local isOurs = isOwn(ARGV[i])
  if isOurs then
    redis.call('XACK', KEYS[1], ARGV[1], ARGV[i])
    redis.call('XDEL', KEYS[1], ARGV[i])
    spans, bytes = spans - tonumber(ARGV[i + 1]), bytes - tonumber(ARGV[i + 2])
    isChanged = true
  end
  reply[#reply + 1] = isOurs and 1 or 0
end
if isChanged then reply[1], reply[2] = setCounters(spans, bytes) end
return reply
`);

/**
 * Says that a consumer still works on entries. Returns the ids of those that it does not own.
 *
 * Keys: stream. Arguments: group, consumer, then ids.
 */
export const TOUCH = script(`${IS_OWN}
local others = {}
for i = 3, #ARGV do
  if isOwn(ARGV[i]) then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
  else
    others[#others + 1] = ARGV[i]
  end
end
return others
`);

/** Keeps dead letters for a time, and bounds their number and bytes. Returns their bytes, and whether some were removed. */
const TRIM_DEAD = `
local function trimDead(ttlMs, maxEntries, maxBytes)
  local bytes = tonumber(redis.call('HGET', KEYS[2], 'dead') or 0)
  local before, isTrimmed = nowMs() - ttlMs, false
  for _ = 1, 1000 do
    local oldest = redis.call('XRANGE', KEYS[3], '-', '+', 'COUNT', 1)[1]
    if not oldest then bytes = 0 break end
    local addedMs = tonumber(string.match(oldest[1], '^%d+'))
    if addedMs > before and bytes <= maxBytes and redis.call('XLEN', KEYS[3]) <= maxEntries then break end
    redis.call('XDEL', KEYS[3], oldest[1])
    bytes, isTrimmed = bytes - #field(oldest[2], 'b'), true
  end
  return math.max(0, bytes), isTrimmed
end
`;

/**
 * Moves an entry to the dead letters, which the consumer owns or its owner has not touched for a time. Returns 1, or 0 if it is gone or
 * another owner's.
 *
 * Keys: stream, counters, dead letters. Arguments: group, consumer, id, that time, reason, deliveries, time to keep, most entries, most
 * bytes.
 */
export const BURY = script(`${COUNTERS}${TRIM_DEAD}
local pending = redis.pcall('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1)[1]
if not pending or (pending[2] ~= ARGV[2] and pending[3] < tonumber(ARGV[4])) then return {0, 0} end
local entry = redis.call('XRANGE', KEYS[1], ARGV[3], ARGV[3])[1]
redis.call('XACK', KEYS[1], ARGV[1], ARGV[3])
redis.call('XDEL', KEYS[1], ARGV[3])
if not entry then return {0, 0} end
local count, size = tonumber(field(entry[2], 'n')) or 0, #field(entry[2], 'b')
redis.call('XADD', KEYS[3], '*', 'id', ARGV[3], 'reason', ARGV[5], 'deliveries', ARGV[6], unpack(entry[2]))
redis.call('HINCRBY', KEYS[2], 'dead', size)
local dead = trimDead(tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]))
local spans, bytes = counters()
setCounters(spans - count, bytes - size)
redis.call('HSET', KEYS[2], 'dead', dead)
return {1, count}
`);

/**
 * Reads the counters and removes old dead letters. A full Redis refuses HSET unless something was removed before. HDEL changes nothing:
 * it fails where nothing can be written, at a Redis that has become a replica of another one, and at a full disk.
 *
 * Keys: stream, counters, dead letters. Arguments: time to keep dead letters, most entries, most bytes.
 */
export const LOOK = script(`${COUNTERS}${TRIM_DEAD}
redis.call('HDEL', KEYS[2], '')
local spans, bytes = counters()
if redis.call('XLEN', KEYS[1]) == 0 then spans, bytes = 0, 0 end
if redis.call('XLEN', KEYS[3]) > 0 then
  local dead, isTrimmed = trimDead(tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))
  if isTrimmed then redis.call('HSET', KEYS[2], 'dead', dead) end
end
return {spans, bytes, nowMs()}
`);

/**
 * Lets other consumers claim what one holds at once, and removes the consumer if it holds nothing. An orderly stop is no failure of
 * the entries: this delivery of them does not count.
 *
 * Keys: stream. Arguments: group, consumer.
 */
export const RELEASE = script(`
local pending = redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 10000, ARGV[2])
for _, entry in ipairs(pending) do
  local deliveries = math.max(0, entry[4] - 1)
  redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, entry[1], 'IDLE', 3600000, 'RETRYCOUNT', deliveries, 'JUSTID')
end
if #pending == 0 then redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2]) end
return #pending
`);
