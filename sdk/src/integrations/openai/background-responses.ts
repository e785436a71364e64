import { field, textOf } from "../json-fields.js";

/** Responses that are remembered; of one that is older nobody asks any more. */
const MAX_IDS = 1000;

/** Ids of responses that were last seen on their way; the oldest first. */
const onTheirWay = new Set<string>();

/**
 * Hears of a response as it is by now. One in the background answers its call with `queued`, and tells its tokens only to
 * whoever asks for it when it is done.
 *
 * @returns true where it is the end of a response that was on its way: the first to hear of it counts it.
 */
export function noteResponseState(response: unknown): boolean {
  const id = textOf(field(response, "id"));
  const status = textOf(field(response, "status"));
  if (id === undefined || status === undefined) return false;
  const wasOnItsWay = onTheirWay.delete(id);
  if (status !== "queued" && status !== "in_progress") return wasOnItsWay;
  onTheirWay.add(id);
  for (const oldest of onTheirWay) {
    if (onTheirWay.size <= MAX_IDS) break;
    onTheirWay.delete(oldest);
  }
  return false;
}
