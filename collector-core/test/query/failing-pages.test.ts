import { fastify, type FastifyInstance } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../src/api-schema/errors.js";
import { handleErrors } from "../../src/ingest/error-responses.js";
import type { SpanPages, TraceKey, TraceStore } from "../../src/interfaces.js";
import { exportRoute } from "../../src/query/export-route.js";
import { oneTraceRoutes } from "../../src/query/one-trace-routes.js";
import { createSharedFiles } from "../../src/query/shared-files.js";
import { traceExportRoute } from "../../src/query/trace-export-route.js";
import { createSharedTraceRedactor } from "../../src/pipeline/redaction/shared-trace-redactor.js";
import { systemClock } from "../../src/runtime/clock.js";
import { createMemoryTraceStore } from "../../src/store/memory/memory-trace-store.js";
import { aSpan, pipelineSpans } from "../store/span-batches.js";

/** Yields every page, and fails in place of the end. */
async function* failing<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  yield* pages;
  throw new Error("The file cannot be read.");
}

/** One trace of a megabyte. */
const SPANS = pipelineSpans(
  Array.from({ length: 2000 }, () => aSpan({ attributes: { prompt_text: "x".repeat(500) } })),
);

/** Serves the routes of a store with this trace. */
async function serve(change: (store: TraceStore) => Partial<TraceStore>) {
  const store = createMemoryTraceStore({
    maxTraces: 10,
    maxSpansPerTrace: 5000,
    ttlSeconds: 0,
    maxBytes: 2 ** 26,
    clock: systemClock,
  });
  await store.append(SPANS);
  const errors: { route: string; error: unknown }[] = [];
  const app: FastifyInstance = fastify();
  handleErrors(
    app,
    (route, error) => void errors.push({ route, error }),
    () => undefined,
  );
  const changed: TraceStore = { ...store, ...change(store) };
  await app.register(oneTraceRoutes, { store: changed, clock: systemClock, onDeleted: () => undefined });
  await app.register(exportRoute, { store: changed, version: "1", clock: systemClock });
  await app.register(traceExportRoute, {
    store: changed,
    version: "1",
    clock: systemClock,
    files: createSharedFiles({
      createRedactor: async () => createSharedTraceRedactor(),
      overloaded: () => new Error("Busy."),
    }),
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
  return { url, errors };
}

/** A store whose traces fail after their last page. */
const withFailingSpans = (store: TraceStore): Partial<TraceStore> => ({
  async get(key, signal) {
    const trace = await store.get(key, signal);
    if (trace === undefined) return undefined;
    const fail = (pages: SpanPages): SpanPages => ({ [Symbol.asyncIterator]: () => failing(pages) });
    return { ...trace, spans: fail(trace.spans), received: fail(trace.received) };
  },
});

it.each([
  ["/v1/traces/trace", "/v1/traces/:trace_id", withFailingSpans],
  ["/v1/export", "/v1/export", withFailingSpans],
  ["/v1/traces/trace/export", "/v1/traces/:trace_id/export", withFailingSpans],
  [
    "/v1/export",
    "/v1/export",
    (store: TraceStore): Partial<TraceStore> => ({
      select: (filter, signal): AsyncIterable<readonly TraceKey[]> => failing(store.select(filter, signal)),
    }),
  ],
])("%s closes the connection if pages fail midway, and logs why once", async (path, route, change) => {
  const { url, errors } = await serve(change);
  const response = await fetch(url + path);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  await expect.poll(() => errors).toMatchObject([{ route, error: { message: "The file cannot be read." } }]);
});

it("answers with an error if the first page of keys fails", async () => {
  const { url, errors } = await serve(() => ({
    select: () => failing((async function* (): AsyncGenerator<readonly TraceKey[]> {})()),
  }));
  const response = await fetch(`${url}/v1/export`);
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ error: { code: "internal_error" } });
  expect(errors).toHaveLength(1);
});

it("answers 404 before the first byte if the trace of an export is not there", async () => {
  const { url } = await serve(() => ({}));
  const response = await fetch(`${url}/v1/export?trace_id=none`);
  expect(response.status).toBe(404);
  expect(response.headers.get("content-disposition")).toBeNull();
});

/** A store whose traces are deleted after their first page. */
const withDeletedTraces = (store: TraceStore): Partial<TraceStore> => ({
  async get(key, signal) {
    const trace = await store.get(key, signal);
    if (trace === undefined) return undefined;
    const end = (pages: SpanPages): SpanPages => ({
      async *[Symbol.asyncIterator]() {
        for await (const page of pages) {
          yield page;
          throw new ApiError("trace_not_found", "The trace was deleted while it was read.");
        }
      },
    });
    return { ...trace, spans: end(trace.spans), received: end(trace.received) };
  },
});

it("exports the rest of the traces when one is deleted meanwhile, in whole lines and without an error", async () => {
  const { url, errors } = await serve(withDeletedTraces);
  const response = await fetch(`${url}/v1/export`);
  const text = await response.text();
  expect(text.endsWith("\n")).toBe(true);
  const lines = text.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty("resourceSpans");
  expect(errors).toEqual([]);
});

it("cuts off the response for a trace that is deleted while it is read, without an error in the log", async () => {
  const { url, errors } = await serve(withDeletedTraces);
  await expect(fetch(`${url}/v1/traces/trace`).then((response) => response.text())).rejects.toThrow();
  expect(errors).toEqual([]);
});
