import type { Readable } from "node:stream";

/** Node streams do not exist here: a stream of a library that imitates them keeps all its events. */
export function filterNodeSse(source: Readable): Readable {
  return source;
}
