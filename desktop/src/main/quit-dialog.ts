import type { Collector, Logger } from "@obspan/collector-core";
import { askUser } from "./ask-user.js";

/** A shorter wait needs no words. */
const SHOWN_AFTER_MS = 1500;

/** Options of {@link offerToQuitAtOnce}. */
export interface QuitOfferOptions {
  readonly collector: Pick<Collector, "status">;
  readonly log: Pick<Logger, "warning">;
  readonly quitAtOnce: () => void;
}

/**
 * Says how many spans the collector still processes if the stop takes long, and offers to quit without them. The tray
 * shows the progress.
 *
 * @returns a function that is called when the collector has stopped.
 */
export function offerToQuitAtOnce({ collector, log, quitAtOnce }: QuitOfferOptions): () => void {
  let isOver = false;

  async function offer(): Promise<void> {
    const { queue_spans: queued, ledger } = collector.status();
    const left = queued + ledger.in_flight;
    const answer = await askUser({
      type: "info",
      message: "Obspan is finishing",
      detail: `${left.toLocaleString("en-US")} spans that apps have sent are still being processed. Obspan then quits by itself.`,
      buttons: ["Wait", "Quit Without Them"],
      defaultId: 0,
      cancelId: 0,
    });
    if (answer !== 1 || isOver) return;
    const remaining = collector.status();
    log.warning("The user quit before all spans were processed.", {
      lost_spans: remaining.queue_spans + remaining.ledger.in_flight,
    });
    quitAtOnce();
  }

  const timer = setTimeout(() => void offer(), SHOWN_AFTER_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
