import type { EndedSessions } from "../interfaces.js";
import { createLruCache } from "../runtime/lru-cache.js";
import { copyText } from "../span/kept-text.js";

/** Beyond it, the oldest ended session is valid again until it expires. */
const MAX_ENDED_SESSIONS = 10_000;

/** The last ended sessions, in memory. */
export function createEndedSessions(): EndedSessions {
  const ended = createLruCache<string, true>(MAX_ENDED_SESSIONS);
  return {
    has: (id) => ended.has(id),
    add: (id) => void ended.set(copyText(id), true),
  };
}
