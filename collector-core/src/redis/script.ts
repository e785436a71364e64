import { createHash } from "node:crypto";

/** A script that Redis runs as one step. */
export interface Script {
  readonly source: string;
  readonly sha: string;
}

/** Lua: `nowMs()` is the time of Redis in milliseconds. */
export const NOW_MS = `
local function nowMs()
  local now = redis.call('TIME')
  return now[1] * 1000 + math.floor(now[2] / 1000)
end
`;

export function script(source: string): Script {
  return { source, sha: createHash("sha1").update(source).digest("hex") };
}
