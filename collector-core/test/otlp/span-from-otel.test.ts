import { describe, expect, it } from "vitest";
import { startCollector } from "../running-collector.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const START_MS = 1_795_000_000_000.5;

const CALL = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "openai",
  "gen_ai.request.model": "gpt-5-mini",
  "gen_ai.response.model": "gpt-5-mini-2025-08-07",
  "gen_ai.usage.input_tokens": 12,
  "gen_ai.usage.output_tokens": 5,
  "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: "Hi" }] }]),
  "http.request.method": "POST",
};

interface StoredSpan {
  readonly span_id: string;
  readonly name: string;
  readonly span_type: string;
  readonly status: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events?: readonly { readonly name: string }[];
}

describe("contract 6: spans that the SDK passes on from OpenTelemetry", () => {
  it("mean the same as over OTLP", async () => {
    const { url, post, get, settled } = await startCollector();
    const sdkSpan = {
      trace_id: TRACE,
      span_type: "otel:span",
      status: "UNSET",
      start_time: START_MS,
      duration_ms: 250,
      events: [
        { name: "gen_ai.first_token", time: START_MS + 100, attributes: {} },
        { name: "retry", time: START_MS + 10, attributes: { attempt: 2 } },
      ],
    };
    const failure = {
      name: "exception",
      time: START_MS + 5,
      attributes: {
        "exception.type": "RangeError",
        "exception.message": "too long",
        "exception.escaped": "true",
      },
    };
    const accepted = await post({
      service: "shop",
      spans: [
        {
          ...sdkSpan,
          span_id: "a000000000000001",
          name: "chat gpt-5-mini",
          attributes: { ...CALL, "otel.scope.name": "genai" },
        },
        { ...sdkSpan, span_id: "a000000000000002", name: "work", attributes: {}, events: [failure] },
        {
          ...sdkSpan,
          span_id: "a000000000000005",
          name: "failed",
          status: "ERROR",
          attributes: { "otel.status_description": "no answer" },
          events: [],
        },
        { ...sdkSpan, span_id: "a000000000000003", name: "own", span_type: "custom", attributes: CALL },
      ],
    });
    expect(accepted.status).toBe(202);
    const nano = (ms: number): string => `${BigInt(ms * 10) * 100_000n}`;
    const toValue = (value: string | number) =>
      typeof value === "string" ? { stringValue: value } : { intValue: value };
    const toAttributes = (record: Readonly<Record<string, string | number>>) =>
      Object.entries(record).map(([key, value]) => ({ key, value: toValue(value) }));
    const otlp = await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        resourceSpans: [
          {
            resource: { attributes: toAttributes({ "service.name": "shop" }) },
            scopeSpans: [
              {
                scope: { name: "genai" },
                spans: [
                  {
                    traceId: TRACE,
                    spanId: "a000000000000004",
                    name: "chat gpt-5-mini",
                    startTimeUnixNano: nano(START_MS),
                    endTimeUnixNano: nano(START_MS + 250),
                    attributes: toAttributes(CALL),
                    events: [
                      { name: "gen_ai.first_token", timeUnixNano: nano(START_MS + 100) },
                      {
                        name: "retry",
                        timeUnixNano: nano(START_MS + 10),
                        attributes: toAttributes({ attempt: 2 }),
                      },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      }),
    });
    expect(otlp.status).toBe(200);
    await settled();
    const { spans } = await get<{ spans: readonly StoredSpan[] }>(`/v1/traces/${TRACE}`);
    const find = (id: string) => spans.find(({ span_id }) => span_id === id);
    const viaSdk = find("a000000000000001");
    const viaOtlp = find("a000000000000004");
    expect(viaOtlp?.attributes).toEqual(viaSdk?.attributes);
    expect(viaSdk).toMatchObject({
      span_type: "llm",
      status: "OK",
      attributes: { model: "gpt-5-mini-2025-08-07", provider: "openai", tokens_input: 12, ttft_ms: 100 },
      events: viaOtlp?.events,
    });
    expect(find("a000000000000002")).toMatchObject({
      span_type: "span",
      status: "ERROR",
      attributes: { error_type: "RangeError", error_message: "too long" },
    });
    expect(find("a000000000000005")?.attributes).toEqual({ error_message: "no answer" });
    // The type of another sender stays.
    expect(find("a000000000000003")).toMatchObject({ span_type: "custom", attributes: CALL });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const counted = /^obs_tokens_input_count\{.*model="gpt-5-mini-2025-08-07".*\} (\d+)$/m.exec(metrics);
    expect(counted?.[1]).toBe("2");
  });

  it("are mapped whatever else their attributes and events are", async () => {
    const { post, get, settled } = await startCollector();
    const otel = { trace_id: TRACE, name: "chat", span_type: "otel:span" };
    const named = { name: "retry" };
    const odd = [
      { attributes: CALL, events: [null, 5, "text", [], {}, named] },
      { attributes: CALL, events: [{ ...named, attributes: null }] },
      { attributes: CALL, events: { 0: named }, status: "constructor" },
      { attributes: "text", events: "text" },
    ];
    await post({
      service: "shop",
      spans: odd.map((span, index) => ({ ...otel, span_id: `s${index}`, ...span })),
    });
    await settled();
    const { spans } = await get<{ spans: readonly StoredSpan[] }>(`/v1/traces/${TRACE}`);
    const shown = spans.map(({ span_type, status, events }) => [span_type, status, events?.length]);
    expect(shown).toEqual([
      ["llm", "OK", 1],
      ["llm", "OK", 1],
      ["llm", "OK", 0],
      ["span", "OK", 0],
    ]);
    expect(spans[3]?.attributes).toEqual({});
  });

  it("are kept as they came with more attributes and events than are mapped at once", async () => {
    const { post, get, settled } = await startCollector();
    const attributes = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`gen_ai.prompt.${index}.content`, "Hi"]),
      );
    const otel = { trace_id: TRACE, name: "chat", span_type: "otel:span" };
    await post({
      service: "shop",
      spans: [
        { ...otel, span_id: "most", attributes: attributes(10_000) },
        { ...otel, span_id: "more", attributes: attributes(50_001) },
      ],
    });
    await settled();
    const { spans } = await get<{ spans: readonly StoredSpan[] }>(`/v1/traces/${TRACE}`);
    expect(spans.map(({ span_id, span_type }) => [span_id, span_type])).toEqual([
      ["most", "span"],
      ["more", "otel:span"],
    ]);
  });
});
