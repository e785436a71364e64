import { randomBytes } from "node:crypto";
import type { Lifecycle, LiveBus, LiveChange, TraceKey } from "../interfaces.js";
import { createConnection } from "../redis/connection.js";
import { RESET_AFTER_MS } from "../redis/pause.js";
import { script } from "../redis/script.js";
import type { Clock } from "../runtime/clock.js";
import type { SharedRedis } from "./shared-redis.js";

/** Options of {@link createSharedLive}. */
export interface SharedLiveOptions {
  readonly redis: Pick<SharedRedis, "ask" | "onSecond">;
  /** `queue.url`. */
  readonly url: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: { warning(message: string): void };
}

/** What a collector tells the others. */
interface Message {
  /** The collector. */
  readonly from: string;
  /** Pairs of tenant and trace id. */
  readonly keys?: readonly (readonly [string, string])[];
  readonly all?: "burst" | "cleared";
}

/** Tells all collectors. Keys: channel. Arguments: message. */
const PUBLISH = script(`return redis.call('PUBLISH', KEYS[1], ARGV[1])`);

const CHANNEL = "obspan:live";
/** Traces that a collector tells the others of in a second. With more, their readers fetch the shown data again. */
const MAX_KEYS = 250;
const SECOND_MS = 1000;
/** Several times what the longest tenants and trace ids take. */
const MAX_MESSAGE_LENGTH = 2 ** 20;

/**
 * Tells collectors which traces have changed in the store that they share. Each hears itself every second: without that for a
 * time, its connection is replaced. What it may have missed meanwhile is a `burst`.
 */
export function createSharedLive({ redis, url, clock, log }: SharedLiveOptions): LiveBus & Lifecycle {
  const from = randomBytes(9).toString("base64url");
  let listener: ((change: LiveChange) => void) | undefined;
  let heardAtMs = clock.monotonic();
  /** True while changes may be missed. */
  let isCut = false;
  /** Changes that nobody could be told of. */
  let untold: "burst" | "cleared" | undefined;
  let told = { sinceMs: -Infinity, keys: 0 };
  let isBurstDue = false;

  const connection = createConnection({
    url,
    name: "obspan-live",
    onFailure: () => void (isCut = true),
    onReady: () => undefined,
    subscription: { channel: CHANNEL, onMessage: hear },
  });

  async function send(message: Omit<Message, "from">): Promise<void> {
    const args = [JSON.stringify({ from, ...message } satisfies Message)];
    const reply = await redis.ask({ state: "live", script: PUBLISH, keys: [CHANNEL], args });
    if (reply === undefined && (message.all !== undefined || message.keys !== undefined))
      untold = message.all === "cleared" || untold === "cleared" ? "cleared" : "burst";
  }

  function sendKeys(keys: readonly TraceKey[]): void {
    const nowMs = clock.monotonic();
    if (nowMs - told.sinceMs >= SECOND_MS) told = { sinceMs: nowMs, keys: 0 };
    told.keys += keys.length;
    if (told.keys <= MAX_KEYS) {
      void send({ keys: keys.map(({ tenant, traceId }) => [tenant, traceId]) });
    } else if (!isBurstDue) {
      // At the end of the second, so that it covers all of it.
      isBurstDue = true;
      setTimeout(endBurst, told.sinceMs + SECOND_MS - nowMs).unref();
    }
  }

  function endBurst(): void {
    isBurstDue = false;
    void send({ all: "burst" });
  }

  function hear(text: string): void {
    const message = readMessage(text);
    if (message.from === from) hearOwn();
    else if (message.change !== undefined) listener?.(message.change);
  }

  function hearOwn(): void {
    heardAtMs = clock.monotonic();
    if (isCut) listener?.("burst");
    isCut = false;
  }

  async function everySecond(): Promise<void> {
    if (listener === undefined) return;
    const all = untold;
    untold = undefined;
    await send(all === undefined ? {} : { all });
    if (clock.monotonic() - heardAtMs < RESET_AFTER_MS) return;
    heardAtMs = clock.monotonic();
    isCut = true;
    log.warning("The changes of other collectors do not arrive: the connection to Redis is replaced.");
    connection.reset();
  }

  redis.onSecond(everySecond);

  return {
    publish(change) {
      if (typeof change === "string") void send({ all: change });
      else if (change.length > 0) sendKeys(change);
    },
    subscribe: (subscriber) => void (listener = subscriber),
    start() {
      if (listener === undefined) return;
      heardAtMs = clock.monotonic();
      connection.open();
    },
    stop: () => connection.close(),
  };
}

/** Anybody who can reach Redis may publish anything. */
function readMessage(text: string): { readonly from?: unknown; readonly change?: LiveChange } {
  if (text.length > MAX_MESSAGE_LENGTH) return {};
  try {
    const { from, keys, all } = JSON.parse(text) as Partial<Record<keyof Message, unknown>>;
    if (all === "burst" || all === "cleared") return { from, change: all };
    if (!Array.isArray(keys)) return { from };
    return { from, change: keys.length <= MAX_KEYS ? keys.map(readKey) : "burst" };
  } catch {
    return {};
  }
}

function readKey(pair: unknown): TraceKey {
  const [tenant, traceId] = pair as unknown[];
  if (typeof tenant !== "string" || typeof traceId !== "string") throw new TypeError("Not a key of a trace.");
  return { tenant, traceId };
}
