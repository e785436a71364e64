import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Stats } from "../../../src/api-schema/stats.js";
import type { TraceDetail, TraceList } from "../../../src/api-schema/trace.js";
import { systemClock } from "../../../src/runtime/clock.js";
import { openDatabase } from "../../../src/store/clickhouse/database.js";
import { runCommandLine } from "../../../src/cli/run-command-line.js";
import { keptOutput } from "../../cli/printed.js";
import { HANGS, VERDICT } from "../../evaluation/judge-server.js";
import { judgedSpan, startJudgedCollector } from "../../evaluation/judged-collector.js";
import { startRedisServer, type RedisServer } from "../../queue/redis/redis-server.js";
import { errorOf, span, startCollector, type RunningCollector } from "../../running-collector.js";
import { aDatabase, missingClickHouse, startClickHouse, type ClickHouseServer } from "./clickhouse-server.js";

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = systemClock.monotonic() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (systemClock.monotonic() > deadline) throw new Error(`Timed out, waiting until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe.skipIf(missingClickHouse() !== undefined)("two collectors on one Redis and one ClickHouse", () => {
  let redis: RedisServer;
  let server: ClickHouseServer;
  const database = aDatabase();
  beforeAll(async () => {
    [redis, server] = await Promise.all([startRedisServer(), startClickHouse()]);
  });
  afterAll(async () => {
    const clickHouse = openDatabase({ url: server.url, user: "default", password: "", database: undefined });
    await clickHouse.run("DROP DATABASE IF EXISTS {database:Identifier}", { database });
    await clickHouse.close();
    await Promise.all([redis.stop(), server.stop()]);
  });

  const settings = () => ({
    QUEUE_URL: redis.url,
    TRACE_STORE_URL: server.url,
    TRACE_STORE_DATABASE: database,
  });
  const start = async (): Promise<RunningCollector> => {
    const running = await startCollector(settings());
    await until("it is ready", async () => ((await fetch(`${running.url}/ready`)).ok ? true : undefined));
    return running;
  };
  const traceIn = ({ url }: RunningCollector, id: string) =>
    until(`${id} is in the store`, async () => {
      const response = await fetch(`${url}/v1/traces/${id}`);
      return response.ok ? ((await response.json()) as TraceDetail) : undefined;
    });

  it("show one list of traces, whoever took their spans, and count each span once", async () => {
    const [first, second] = [await start(), await start()];
    const ids = Array.from({ length: 6 }, (_, index) => `t${index}`);
    for (const [index, trace_id] of ids.entries())
      expect(
        (await [first, second][index % 2]?.post({ spans: [span({ trace_id, span_id: "s" })] }))?.status,
      ).toBe(202);
    for (const collector of [first, second])
      for (const id of ids) expect((await traceIn(collector, id)).spans).toHaveLength(1);
    for (const { get } of [first, second]) {
      const { traces } = await get<TraceList>("/v1/traces?limit=10");
      expect(traces.map(({ trace_id }) => trace_id).toSorted()).toEqual(ids);
    }
    await until("all batches are acknowledged", async () => {
      const ledgers = [first, second].map(({ collector }) => collector.ledger());
      return ledgers.reduce((sum, { processed }) => sum + processed, 0) === ids.length || undefined;
    });
    expect(Number(await redis.command("XLEN", "obspan:q"))).toBe(0);
  });

  /** Reads the live feed of a collector until it has an event. */
  async function liveOf({ url }: RunningCollector) {
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const live = await fetch(`${url}/v1/live`, { signal: leaving.signal });
    let text = "";
    return async (event: RegExp): Promise<void> => {
      for await (const part of live.body?.values({ preventCancel: true }) ?? []) {
        text += Buffer.from(part).toString();
        if (event.test(text)) return;
      }
      throw new Error("The live feed has ended.");
    };
  }

  it("tell readers of GET /v1/live at both of a trace once it can be read", async () => {
    const [first, second] = [await start(), await start()];
    const readers = [await liveOf(first), await liveOf(second)];
    await first.post({ spans: [span({ trace_id: "shown", span_id: "s" })] });
    for (const has of readers) await has(/event: trace\n.*"trace_id":"shown"/s);
  });

  it("remove a trace for both, and tell readers of GET /v1/live at both", async () => {
    const [first, second] = [await start(), await start()];
    const has = await liveOf(first);
    await first.post({ spans: [span({ trace_id: "gone", span_id: "s" })] });
    await traceIn(second, "gone");
    expect((await fetch(`${second.url}/v1/traces/gone`, { method: "DELETE" })).status).toBe(204);
    expect((await fetch(`${first.url}/v1/traces/gone`)).status).toBe(404);
    await has(/event: reset\n/);
  });

  it("contract 3: forget the scores of a deleted trace and end its evaluations, also where the deletion did not arrive", async () => {
    let reply: typeof VERDICT | typeof HANGS = VERDICT;
    const collectors = [
      await startJudgedCollector(settings(), () => reply),
      await startJudgedCollector(settings(), () => reply),
    ] as const;
    for (const { url } of collectors)
      await until("it is ready", async () => ((await fetch(`${url}/ready`)).ok ? true : undefined));
    const scoresOf = async ({ get }: RunningCollector): Promise<number> =>
      (await get<{ evaluations: unknown[] }>("/v1/evaluations")).evaluations.length;
    const whichHas = (what: string, has: (each: RunningCollector) => Promise<boolean>) =>
      until(what, async () => {
        if (await has(collectors[0])) return collectors;
        return (await has(collectors[1])) ? ([collectors[1], collectors[0]] as const) : undefined;
      });

    await collectors[0].post({ spans: [judgedSpan(["relevance"], { trace_id: "scored" })] });
    const [scored, other] = await whichHas("it is scored", async (each) => (await scoresOf(each)) > 0);
    await until("its score is in the store", async () =>
      (await traceIn(other, "scored")).spans.length === 2 ? true : undefined,
    );
    expect((await fetch(`${other.url}/v1/traces/scored`, { method: "DELETE" })).status).toBe(204);
    await until("it has no score", async () => ((await scoresOf(scored)) === 0 ? true : undefined));

    reply = HANGS;
    await collectors[0].post({ spans: [judgedSpan(["relevance"], { trace_id: "pending" })] });
    const evaluationsOf = ({ collector }: RunningCollector) => collector.ledger().evaluated;
    const [pending, another] = await whichHas(
      "it is evaluated",
      async (each) => evaluationsOf(each)?.pending === 1,
    );
    await traceIn(another, "pending");
    // Redis was away when these were deleted.
    const hears = await liveOf(pending);
    const deletedBefore = { from: "another", agoMs: 60_000 };
    await redis.command("XADD", "obspan:deleted", "*", "d", JSON.stringify(deletedBefore));
    await hears(/event: reset\n/);
    expect(evaluationsOf(pending)?.pending).toBe(1);
    expect((await fetch(`${another.url}/v1/traces`, { method: "DELETE" })).status).toBe(204);
    await until("its evaluation has ended", async () =>
      evaluationsOf(pending)?.pending === 0 ? true : undefined,
    );
    expect(evaluationsOf(pending)).toMatchObject({ dropped: 1 });
    expect((await fetch(`${pending.url}/v1/traces/pending`)).status).toBe(404);
  });

  const allAcknowledged = async (): Promise<void> => {
    await until("all batches are acknowledged", async () =>
      Number(await redis.command("XLEN", "obspan:q")) === 0 ? true : undefined,
    );
  };

  it.each([
    ["all traces", ""],
    ["a tenant", "?tenant="],
  ])(
    "contract 3: a deletion of %s ends what was on its way to the store, wherever that was, and nothing that came later",
    async (_, query) => {
      const collectors = [await start(), await start()] as const;
      const [{ url, get }] = collectors;
      const send = async (ids: readonly string[]): Promise<void> => {
        const sent = ids.map((trace_id, index) =>
          collectors[index % 2 === 0 ? 0 : 1].post({ spans: [span({ trace_id, span_id: "s" })] }),
        );
        for (const response of await Promise.all(sent)) expect(response.status).toBe(202);
      };
      const listed = async (): Promise<string[]> => {
        await allAcknowledged();
        const { traces } = await get<TraceList>("/v1/traces?limit=100");
        return traces.map(({ trace_id }) => trace_id).toSorted();
      };
      const ids = Array.from({ length: 20 }, (_unused, index) => `d${index + 10}`);
      for (let round = 0; round < 3; round++) {
        await send(ids);
        expect((await fetch(`${url}/v1/traces${query}`, { method: "DELETE" })).status).toBe(204);
        await send(ids.slice(0, 5));
        expect(await listed()).toEqual(ids.slice(0, 5));
      }
    },
  );

  it("contract 3, statistics: each answers what all have counted, each span once, also after they have stopped", async () => {
    let aheadMs = 0;
    const clock = {
      now: () => systemClock.now() + aheadMs,
      monotonic: () => systemClock.monotonic() + aheadMs,
    };
    const startLater = async (): Promise<RunningCollector> => {
      const running = await startCollector(settings(), { clock });
      await until("it is ready", async () => ((await fetch(`${running.url}/ready`)).ok ? true : undefined));
      return running;
    };
    const spansIn = async ({ get }: RunningCollector, window: string): Promise<number> => {
      const { total } = await get<Stats>(`/v1/stats?window=${window}&service=counted`);
      return total.window.spans;
    };
    const shows = async (collector: RunningCollector, spans: number): Promise<void> => {
      await until("it shows the steps of both", async () =>
        (await spansIn(collector, "30m")) === spans ? true : undefined,
      );
      expect(await spansIn(collector, "30m")).toBe(spans);
      expect(await spansIn(collector, "24h")).toBe(spans);
    };
    const [first, second] = [await startLater(), await startLater()];
    const isProcessed = (spans: number) =>
      until("all are processed", async () => {
        const ledgers = [first, second].map(({ collector }) => collector.ledger());
        return ledgers.reduce((sum, { processed }) => sum + processed, 0) === spans || undefined;
      });
    for (let index = 0; index < 6; index++)
      await [first, second][index % 2]?.post({
        service: "counted",
        spans: [span({ trace_id: `c${index}` })],
      });
    await isProcessed(6);
    aheadMs += 10_000;
    for (const collector of [first, second]) await shows(collector, 6);
    // The step that is not over yet is saved at the end.
    await first.post({ service: "counted", spans: [span({ trace_id: "last" })] });
    await isProcessed(7);
    for (const { collector } of [first, second]) await collector.stop();
    const third = await startLater();
    await shows(third, 7);
    aheadMs += 60_000;
    await shows(third, 7);
  });

  it("share saved views", async () => {
    const [first, second] = [await start(), await start()];
    const view = {
      name: "Mine",
      page: "traces",
      query: "tool:x",
      columns: null,
      order: null,
      group_by: null,
    };
    const put = await fetch(`${first.url}/v1/views/mine`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(view),
    });
    expect(put.ok).toBe(true);
    const { views } = await second.get<{ views: { id: string }[] }>("/v1/views");
    expect(views.map(({ id }) => id)).toContain("mine");
    expect((await fetch(`${second.url}/v1/views/mine`, { method: "DELETE" })).status).toBe(204);
    expect((await fetch(`${first.url}/v1/views/mine`, { method: "DELETE" })).status).toBe(404);
  });

  it("keep accepted spans in the queue while ClickHouse is away, and answer queries with 503", async () => {
    if (!server.isOwn) return;
    const collector = await start();
    await server.kill();
    expect((await collector.post({ spans: [span({ trace_id: "later", span_id: "s" })] })).status).toBe(202);
    const refused = await errorOf(await fetch(`${collector.url}/v1/traces`));
    expect(refused).toMatchObject({ status: 503, code: "trace_store_unavailable" });
    expect(Number(await redis.command("XLEN", "obspan:q"))).toBe(1);
    await server.start();
    expect((await traceIn(collector, "later")).spans).toHaveLength(1);
    await until("it is acknowledged", async () =>
      Number(await redis.command("XLEN", "obspan:q")) === 0 ? true : undefined,
    );
  });

  it("leave to another collector what one of them could not write before it stopped", async () => {
    if (!server.isOwn) return;
    const first = await startCollector({ ...settings(), SHUTDOWN_GRACE_PERIOD_SECONDS: "1" });
    await until("it is ready", async () => ((await fetch(`${first.url}/ready`)).ok ? true : undefined));
    await server.kill();
    await first.post({ spans: [span({ trace_id: "handed over", span_id: "s" })] });
    await first.collector.stop();
    expect(Number(await redis.command("XLEN", "obspan:q"))).toBe(1);
    await server.start();
    const second = await start();
    expect((await traceIn(second, "handed over")).spans).toHaveLength(1);
  });

  it("find their tables made by obspan store migrate", async () => {
    const place = { OBS_SERVER_QUEUE_URL: redis.url, OBS_SERVER_TRACE_STORE_URL: server.url };
    const env = { ...place, OBS_SERVER_TRACE_STORE_DATABASE: `${database}_2` };
    const migrate = async (given: Record<string, string>) => {
      const output = keptOutput();
      const packageDirectory = new URL("../../../", import.meta.url);
      const code = await runCommandLine(["store", "migrate"], {
        output,
        env: given,
        version: "1",
        packageDirectory,
      });
      return { code, text: output.stdout + output.stderr };
    };
    expect(await migrate(env)).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^Made the tables in .*version 2/) as string,
    });
    expect(await migrate(env)).toMatchObject({
      code: 0,
      text: expect.stringContaining("have version 2 already") as string,
    });
    for (const [index, line] of [
      ["none", "The index of texts is gone."],
      ["ngrams", "ClickHouse builds the index of texts in the background"],
    ] as const)
      expect(await migrate({ ...env, OBS_SERVER_TRACE_STORE_TEXT_INDEX: index })).toMatchObject({
        code: 0,
        text: expect.stringContaining(line) as string,
      });
    expect(await migrate({})).toMatchObject({
      code: 1,
      text: expect.stringContaining("trace_store.url is not set") as string,
    });
    expect(await migrate({ OBS_SERVER_TRACE_STORE_URL: server.url })).toMatchObject({
      code: 1,
      text: expect.stringContaining("needs queue.url") as string,
    });
    const clickHouse = openDatabase({ url: server.url, user: "default", password: "", database: undefined });
    onTestFinished(() => clickHouse.close());
    await clickHouse.run("DROP DATABASE {name:Identifier}", { name: `${database}_2` });
  });
});
