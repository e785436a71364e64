import { afterAll, beforeAll, onTestFinished } from "vitest";
import { createSharedRedis, type SharedRedis } from "../../src/shared/shared-redis.js";
import { systemClock } from "../../src/runtime/clock.js";
import { startRedisServer, type RedisServer } from "../queue/redis/redis-server.js";

/** A Redis for the tests of a file. It is its own, since tests stop it. */
export function redisOfFile(): { readonly server: RedisServer } {
  let server: RedisServer | undefined;
  beforeAll(async () => {
    server = await startRedisServer("--databases", "1");
  });
  afterAll(async () => {
    await server?.stop();
  });
  return {
    get server() {
      if (server === undefined) throw new Error("Redis starts with the first test.");
      return server;
    },
  };
}

/**
 * What a collector shares through Redis, with the lines that it logs. Resolves when Redis answers.
 *
 * @param answerWithinMs - default: longer than a request waits, since tests may take longer.
 */
export async function shareThrough(
  { url }: Pick<RedisServer, "url">,
  answerWithinMs = 20_000,
): Promise<{
  readonly redis: SharedRedis;
  readonly lines: string[];
}> {
  const lines: string[] = [];
  const log = { info: (line: string) => lines.push(line), warning: (line: string) => lines.push(line) };
  const redis = createSharedRedis({ url, clock: systemClock, log, answerWithinMs });
  onTestFinished(() => redis.stop());
  redis.start();
  await until("Redis answers", () => redis.usage().isAvailable);
  return { redis, lines };
}

export async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`Timed out, waiting until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
