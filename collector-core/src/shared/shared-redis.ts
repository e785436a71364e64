import { randomBytes } from "node:crypto";
import { ErrorReply } from "@redis/client";
import type { SharedState, SharedUsage } from "../interfaces.js";
import { createConnection, type Reply } from "../redis/connection.js";
import { RESET_AFTER_MS } from "../redis/pause.js";
import { script, type Script } from "../redis/script.js";
import type { Clock } from "../runtime/clock.js";
import { errorMessage } from "../runtime/describe-error.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";
import { within } from "../runtime/within.js";

/** Options of {@link createSharedRedis}. */
export interface SharedRedisOptions {
  /** `queue.url`. */
  readonly url: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: { info(message: string): void; warning(message: string): void };
  /** How long a question waits for its answer. Default: half a second, since requests wait for it. */
  readonly answerWithinMs?: number;
}

/** A question to Redis about state that collectors share. */
export interface Question {
  readonly state: SharedState;
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Redis as the keeper of what collectors share beside the queue. They go on alone while it does not answer. */
export interface SharedRedis {
  /**
   * Asks Redis. The answer is undefined if this collector has to decide alone: at once while Redis is known to be away, else
   * after a short time.
   */
  ask(question: Question): MaybePromise<Reply | undefined>;
  /** A random number that all collectors on this Redis know, and no sender. Undefined until Redis has told it. */
  readonly seed: Int32Array | undefined;
  /** Calls `listener` about once a second while Redis answers. */
  onSecond(listener: () => Promise<void>): void;
  usage(): SharedUsage;
  start(): void;
  stop(): void;
}

const SEED = "obspan:seed";
const SEED_BYTES = 8;
const SEED_TTL_MS = 24 * 60 * 60_000;
/** When an answer takes longer, all questions are answered alone until Redis answers again. */
const ANSWER_WITHIN_MS = 500;
const LOOK_EVERY_MS = 1000;
const LOOK_WITHIN_MS = 2000;
/** Questions that wait for an answer. Beyond it, a collector decides alone: Redis is too slow. */
const MAX_WAITING = 1000;

/** Reads the seed, or sets it. Keys: seed. Arguments: the seed to set if there is none, its time to live. */
const READ_SEED = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SET', KEYS[1], ARGV[1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('GET', KEYS[1])
`);

export function createSharedRedis(options: SharedRedisOptions): SharedRedis {
  const { url, clock, log, answerWithinMs = ANSWER_WITHIN_MS } = options;
  const connection = createConnection({
    url,
    name: "obspan-shared",
    onFailure: unavailable,
    onReady: () => void look(),
  });
  /** Undefined until Redis has answered, or could not be reached. */
  let isAvailable: boolean | undefined;
  let seedText = "";
  let seed: Int32Array | undefined;
  let waiting = 0;
  let answeredAtMs = clock.monotonic();
  let looks: NodeJS.Timeout | undefined;
  let isLooking = false;
  const listeners: (() => Promise<void>)[] = [];
  const alone: Record<SharedState, number> = {
    rate_limits: 0,
    model_calls: 0,
    sessions: 0,
    evaluations: 0,
    live: 0,
  };

  function unavailable(reason: string): void {
    if (isAvailable === false || looks === undefined) return;
    isAvailable = false;
    log.warning(
      `Redis does not answer (${reason}). Until it does, this collector shares no rate limits and no ended sessions, and ` +
        "does not know the model calls and evaluations of others.",
    );
  }

  function available(): void {
    answeredAtMs = clock.monotonic();
    if (isAvailable === false)
      log.info("Redis answers: rate limits, ended sessions, model calls and evaluations are shared.");
    isAvailable = true;
  }

  /** Asks whether Redis answers. A restart may have lost the seed, so that it is read again and again. */
  async function look(): Promise<void> {
    if (isLooking || looks === undefined) return;
    isLooking = true;
    try {
      const args = [randomBytes(SEED_BYTES).toString("hex"), String(SEED_TTL_MS)];
      readSeed(await within(LOOK_WITHIN_MS, connection.run(READ_SEED, [SEED], args)));
      available();
      for (const listener of listeners) await listener();
    } catch (error) {
      unavailable(errorMessage(error));
      if (clock.monotonic() - answeredAtMs >= RESET_AFTER_MS) {
        answeredAtMs = clock.monotonic();
        connection.reset();
      }
    } finally {
      isLooking = false;
    }
  }

  function readSeed(reply: Reply): void {
    const text = Buffer.isBuffer(reply) ? reply.toString() : "";
    if (text === seedText) return;
    seedText = text;
    const bytes = Buffer.alloc(SEED_BYTES, text, "hex");
    seed = Int32Array.of(bytes.readInt32LE(0), bytes.readInt32LE(4));
  }

  async function answer({ state, script: asked, keys, args }: Question): Promise<Reply | undefined> {
    waiting++;
    try {
      return await within(answerWithinMs, connection.run(asked, keys, args));
    } catch (error) {
      // An error of Redis itself, such as a full memory, is an answer.
      if (!(error instanceof ErrorReply)) unavailable(errorMessage(error));
      alone[state]++;
      return undefined;
    } finally {
      waiting--;
    }
  }

  return {
    ask(question) {
      if (isAvailable === true && waiting < MAX_WAITING) return answer(question);
      alone[question.state]++;
      return undefined;
    },
    get seed() {
      return seed;
    },
    onSecond: (listener) => void listeners.push(listener),
    usage: () => ({ isAvailable: isAvailable === true, alone }),
    start() {
      looks ??= setInterval(() => void look(), LOOK_EVERY_MS).unref();
      connection.open();
    },
    stop() {
      clearInterval(looks);
      looks = undefined;
      isAvailable = false;
      connection.close();
    },
  };
}
