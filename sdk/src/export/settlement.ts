import type { Config } from "../config/options.js";
import { log, warn } from "../warnings.js";
import type { Outcome } from "./batch-sender.js";
import { DropLog } from "./drop-log.js";
import type { Ledger } from "./ledger.js";

/** Counts what became of the spans that a delivery loop has taken, and warns about dropped ones. */
export class Settlement {
  readonly #config: Pick<Config, "maxQueueSize" | "maxQueueBytes">;
  readonly #ledger: Pick<Ledger, "settle">;
  readonly #drops = new DropLog({ warn, inform: log, nowMs: () => performance.now() });

  constructor(config: Pick<Config, "maxQueueSize" | "maxQueueBytes">, ledger: Pick<Ledger, "settle">) {
    this.#config = config;
    this.#ledger = ledger;
  }

  settle(count: number, outcome: Outcome): void {
    if (outcome.type === "acked") {
      this.#ledger.settle(count);
      this.#drops.delivered();
    } else if (count > 0) {
      this.#ledger.settle(count, outcome.reason);
      this.#drops.dropped(count, outcome.why);
    }
  }

  /** Warns that spans were dropped because the buffer was full. The ledger has counted them. */
  reportFull(dropped: number): void {
    if (dropped === 0) return;
    const { maxQueueSize, maxQueueBytes } = this.#config;
    const bounds = `maxQueueSize = ${maxQueueSize} spans, maxQueueBytes = ${maxQueueBytes}`;
    this.#drops.dropped(dropped, `the buffer is full (${bounds})`);
  }
}
