-- Requests of one workload for wrk, prepared at the start; each is for a random owner.
-- BENCH_OWNERS: a file of `token profile item list` lines. BENCH_WORK: the workload. An item can be
-- deleted only once, so deletes take the lines in order, from BENCH_START on.
-- BENCH_TARGET: wishwell, floor or usual.
local work, target = os.getenv("BENCH_WORK"), os.getenv("BENCH_TARGET")
local base = target == "wishwell" and "/api/2025-04" or ""
local admin = os.getenv("BENCH_ADMIN")
local changes = work == "post" or work == "patch" or work == "mix"
local requests, counter, turn = {}, 0, tonumber(os.getenv("BENCH_START") or "0")

local function build(kind, o)
  local h = { ["Authorization"] = "Bearer " .. o.token }
  if target == "floor" then
    h = { ["x-w"] = kind, ["x-p"] = o.profile, ["x-i"] = o.item, ["x-l"] = o.list }
  end
  if kind == "page" then return wrk.format("GET", base .. "/items", h) end
  if kind == "saved" then
    h["x-q"] = "7,8,9,1001"
    return wrk.format("GET", base .. "/items?query=product:7,8,9,1001", h)
  end
  if kind == "item" then return wrk.format("GET", base .. "/items/" .. o.item, h) end
  if kind == "list" then return wrk.format("GET", base .. "/lists/" .. o.list, h) end
  if kind == "delete" then return wrk.format("DELETE", base .. "/items/" .. o.item, h) end
  h["Content-Type"] = "application/json"
  local n = math.random(30)
  if kind == "post" then
    h["x-q"], h["x-n"] = tostring(n), "QUANTITY"
    return wrk.format("POST", base .. "/items", h, '{"productId":' .. n .. ',"quantity":QUANTITY}')
  end
  if kind == "patch" then
    h["x-q"] = "QUANTITY"
    return wrk.format("PATCH", base .. "/items/" .. o.item, h, '{"quantity":QUANTITY}')
  end
  if kind == "lists" then
    local function put(on, body)
      h["x-q"] = on
      return wrk.format("PUT", base .. "/items/" .. o.item .. "/lists", h, body)
    end
    return { put("0", '{"listIds":[]}'), put("1", '{"listIds":["' .. o.list .. '"]}') }
  end
  if kind == "token" then
    h["Authorization"] = "Bearer " .. admin
    return wrk.format("POST", base .. "/profiles/token", h, '{"customer":"gid://shopify/Customer/' .. n .. '"}')
  end
end

function init()
  math.randomseed(os.time())
  local mix = { "page", "page", "page", "saved", "saved", "saved", "item", "list", "list", "post" }
  for line in io.lines(os.getenv("BENCH_OWNERS")) do
    local token, profile, item, list = line:match("(%S+) (%S+) (%S+) (%S+)")
    local o = { token = token, profile = profile, item = item, list = list }
    counter = counter + 1
    requests[counter] = build(work == "mix" and mix[counter % 10 + 1] or work, o)
  end
end

function request()
  turn = turn + 1
  if work == "delete" then return requests[turn] end
  local one = requests[math.random(counter)]
  if work == "lists" then  -- alternates, because a change without effect costs less
    one[1], one[2] = one[2], one[1]
    return one[1]
  end
  if not changes then return one end
  -- A new quantity each time, as long as the placeholder: a change without effect costs less.
  return (one:gsub("QUANTITY", "  " .. math.random(100000, 999999)))
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    "RESULT %f %f %f %f %d %d %d\n", summary.requests / summary.duration * 1e6,
    latency:percentile(50), latency:percentile(99), latency.max, e.status,
    e.connect + e.read + e.write + e.timeout, summary.requests))
end
