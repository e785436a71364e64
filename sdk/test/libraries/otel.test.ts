import { context, propagation, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { configure, currentTraceparent, observe, setSession, takeSpans, tool } from "../../src/index.js";
import { ObspanSpanProcessor, obspanTracerProvider } from "../../src/integrations/otel/index.js";
import type { Span } from "../../src/wire/index.js";

beforeAll(() => configure({ service: "otel-test" }));
beforeEach(() => void takeSpans());
afterEach(() => {
  context.disable();
  trace.disable();
  propagation.disable();
});

/** Names of the spans with that of their parent. All are of one trace. */
function tree(spans: readonly Span[]): Record<string, string | undefined> {
  expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
  const names = new Map(spans.map(({ span_id, name }) => [span_id, name]));
  return Object.fromEntries(spans.map(({ name, parent_span_id }) => [name, names.get(parent_span_id ?? "")]));
}

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

const TRACERS: readonly (readonly [what: string, create: () => Tracer])[] = [
  [
    "an app's own provider with ObspanSpanProcessor",
    () => {
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
      return new BasicTracerProvider({ spanProcessors: [new ObspanSpanProcessor()] }).getTracer(
        "own",
        "1.2.3",
      );
    },
  ],
  [
    "obspanTracerProvider, with a context manager",
    () => {
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
      return obspanTracerProvider().getTracer("own", "1.2.3");
    },
  ],
  ["obspanTracerProvider alone", () => obspanTracerProvider().getTracer("own", "1.2.3")],
];

describe.each(TRACERS)("%s", (_, createTracer) => {
  it("has spans of both in one trace, in the order in which they are nested", async () => {
    const tracer = createTracer();
    await observe("a", () =>
      tracer.startActiveSpan("b", async (b) => {
        await later();
        setSession("s-1");
        await tool("c", async () => {
          await later();
          const d = tracer.startSpan("d");
          await observe("e", later);
          d.end();
        })();
        b.end();
      }),
    );
    const spans = takeSpans();
    expect(tree(spans)).toEqual({ a: undefined, b: "a", c: "b", d: "c", e: "c" });
    expect(spans.find(({ name }) => name === "a")?.attributes).toMatchObject({ session_id: "s-1" });
  });

  it("starts a trace that the SDK continues, also in what it sends to others", async () => {
    const tracer = createTracer();
    let header: string | undefined;
    await tracer.startActiveSpan("outer", async (outer) => {
      await observe("inner", async () => {
        await later();
        header = currentTraceparent();
      });
      outer.end();
    });
    const spans = takeSpans();
    expect(tree(spans)).toEqual({ outer: undefined, inner: "outer" });
    const inner = spans.find(({ name }) => name === "inner");
    expect(header).toBe(`00-${inner?.trace_id}-${inner?.span_id}-01`);
  });

  it("keeps attributes, events, links, status and times", () => {
    const tracer = createTracer();
    const linked = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
    const startTime = Date.now() + 1;
    const span = tracer.startSpan("call", {
      kind: SpanKind.CLIENT,
      attributes: { "gen_ai.request.model": "gpt-5-mini", "gen_ai.usage.input_tokens": 3 },
      links: [{ context: linked, attributes: { why: "retry" } }],
      startTime,
    });
    span.setAttribute("list", ["a", "b"]).addEvent("chunk", { size: 3 }, startTime + 100);
    span.addEvent("late", startTime + 200);
    span.recordException(new RangeError("too long"), startTime + 300);
    span.setStatus({ code: SpanStatusCode.ERROR, message: "failed" });
    span.updateName("call again");
    span.end(startTime + 400);
    span.setAttribute("after", true);
    expect(takeSpans()).toMatchObject([
      {
        name: "call again",
        span_type: "otel:span",
        status: "ERROR",
        start_time: startTime,
        duration_ms: 400,
        attributes: {
          "gen_ai.request.model": "gpt-5-mini",
          "gen_ai.usage.input_tokens": 3,
          "otel.scope.name": "own",
          "otel.scope.version": "1.2.3",
          "otel.status_description": "failed",
          "otel.links": [{ trace_id: linked.traceId, span_id: linked.spanId, attributes: { why: "retry" } }],
          "span.kind": "client",
          list: ["a", "b"],
        },
        events: [
          { name: "chunk", time: startTime + 100, attributes: { size: 3 } },
          { name: "late", time: startTime + 200 },
          {
            name: "exception",
            attributes: { "exception.type": "RangeError", "exception.message": "too long" },
          },
        ],
      },
    ]);
  });

  it("keeps the session of a trace that it began", async () => {
    const tracer = createTracer();
    await tracer.startActiveSpan("outer", async (outer) => {
      await observe("first", async () => setSession("s-2"));
      await tracer.startActiveSpan("between", async (between) => {
        await observe("second", later);
        between.end();
      });
      outer.end();
    });
    const sessions = takeSpans().map(({ name, attributes }) => [name, attributes?.["session_id"]]);
    expect(sessions).toEqual([
      ["first", "s-2"],
      ["second", "s-2"],
      ["between", "s-2"],
      ["outer", "s-2"],
    ]);
  });

  it("leaves the status open unless the app sets it", () => {
    const tracer = createTracer();
    tracer.startSpan("open").end();
    const ok = tracer.startSpan("fine");
    ok.setStatus({ code: SpanStatusCode.OK });
    ok.setStatus({ code: SpanStatusCode.ERROR });
    ok.end();
    expect(takeSpans().map(({ status }) => status)).toEqual(["UNSET", "OK"]);
  });
});

it("a span of the tracer provider in a context that the app passes is its child", () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const tracer = obspanTracerProvider().getTracer("own");
  const outer = tracer.startSpan("outer");
  const inner = tracer.startSpan("inner", {}, trace.setSpan(context.active(), outer));
  inner.end();
  outer.end();
  expect(tree(takeSpans())).toEqual({ inner: "outer", outer: undefined });
});
