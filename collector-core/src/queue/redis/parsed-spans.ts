import type { ReceivedBatch } from "../../interfaces.js";
import type { Clock } from "../../runtime/clock.js";

/** Bodies of the batches whose spans are kept: parsed spans use several times their memory. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Another collector has fetched what was not fetched by then, or much waits before it. */
const KEPT_MS = 1000;

interface Parsed {
  readonly spans: ReceivedBatch["spans"];
  readonly bytes: number;
  readonly keptUntilMs: number;
}

/**
 * The parsed spans of batches that this collector has admitted, by the id of their entry: one that it fetches soon after is not parsed
 * again.
 */
export class ParsedSpans {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Oldest first. */
  readonly #byId = new Map<string, Parsed>();
  #bytes = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Keeps the spans of an entry, if there is room: the oldest are fetched first. */
  put(id: string, { spans, body }: Pick<ReceivedBatch, "spans" | "body">): void {
    const bytes = body.byteLength;
    this.expire();
    if (this.#bytes + bytes > MAX_BYTES) return;
    this.#byId.set(id, { spans, bytes, keptUntilMs: this.#clock.monotonic() + KEPT_MS });
    this.#bytes += bytes;
  }

  /** Removes and returns the spans of an entry. */
  take(id: string): ReceivedBatch["spans"] | undefined {
    const parsed = this.#byId.get(id);
    if (parsed === undefined) return undefined;
    this.#byId.delete(id);
    this.#bytes -= parsed.bytes;
    return parsed.spans;
  }

  /** Removes what is old. */
  expire(): void {
    const nowMs = this.#clock.monotonic();
    for (const [id, { keptUntilMs }] of this.#byId) {
      if (nowMs < keptUntilMs) return;
      this.take(id);
    }
  }
}
