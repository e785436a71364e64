import fc from "fast-check";
import { expect, it } from "vitest";
import { createLedger } from "../../src/export/ledger.js";

it("adds up after any sequence of events", () => {
  const events = fc.array(
    fc.constantFrom("enqueue", "withdraw", "take", "ack", "drop", "queue_full", "shutdown"),
  );
  fc.assert(
    fc.property(events, (sequence) => {
      const ledger = createLedger();
      let buffered = 0;
      for (const event of sequence) {
        if (event === "enqueue") {
          ledger.enqueue();
          buffered++;
        } else if (event === "queue_full" || event === "shutdown") ledger.refuse(event);
        else if (event === "withdraw" && buffered > 0) {
          ledger.withdraw();
          buffered--;
        } else if (event === "take" && buffered > 0) {
          ledger.take(1);
          buffered--;
        } else if (event === "ack" && ledger.inFlight > 0) ledger.settle(1);
        else if (event === "drop" && ledger.inFlight > 0) ledger.settle(1, "refused");
        const { enqueued, acked, dropped, pending } = ledger.stats(buffered);
        const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
        expect(enqueued).toBe(acked + lost + pending);
        expect(pending).toBe(buffered + ledger.inFlight);
      }
    }),
  );
});

it("returns a copy of its counts", () => {
  const ledger = createLedger();
  const { dropped } = ledger.stats(0);
  ledger.refuse("queue_full");
  expect(dropped.queue_full).toBe(0);
  expect(ledger.stats(0).dropped.queue_full).toBe(1);
});
