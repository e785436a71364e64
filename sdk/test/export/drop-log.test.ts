import { expect, it } from "vitest";
import { DropLog } from "../../src/export/drop-log.js";

it("warns once an episode, and gives the count when the episode is over", () => {
  const messages: string[] = [];
  let nowMs = 0;
  const log = new DropLog({
    warn: (message) => messages.push(`warn: ${message}`),
    inform: (message) => messages.push(`info: ${message}`),
    nowMs: () => nowMs,
  });
  log.delivered();
  log.dropped(100, "it answered 500");
  for (let count = 0; count < 50; count++) {
    // Some batches get through during the episode.
    log.delivered();
    log.dropped(1, "the buffer is full");
    nowMs += 1000;
  }
  nowMs += 40_000;
  log.delivered();
  log.delivered();
  log.dropped(1, "it answered 401, is the key right?");
  expect(messages).toEqual([
    "warn: 100 spans were dropped: it answered 500. stats() counts further drops.",
    "info: Spans are delivered again; 150 spans were dropped in the meantime.",
    "warn: 1 span was dropped: it answered 401, is the key right? stats() counts further drops.",
  ]);
});
