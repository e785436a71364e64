/** The libraries that the parts of the SDK's benchmark compare, each set up to send to a receiver. */
import { createBareExporter } from "./sdk-floor.mjs";

/** Distinct texts, made beforehand: what is measured is the library. */
const TEXTS = Array.from({ length: 64 }, (_, index) =>
  `${index} `.padEnd(175, "the order was shipped on Monday; "),
);

const recorders = {
  bare,
  obspan,
  floor,
  opentelemetry: (url) => opentelemetry(url, "none"),
  // Compressed, as the SDK's batches to another machine are.
  "opentelemetry gzip": (url) => opentelemetry(url, "gzip"),
  langfuse: async (url) => (await import("./libraries/rivals.mjs")).langfuse(url, attributes),
  laminar: async (url) => (await import("./libraries/rivals.mjs")).laminar(url, attributes),
};

/**
 * @param {string} library
 * @param {string} url - of the receiver.
 * @returns {Promise<import("./libraries/rivals.mjs").Recorder>}
 */
export function createRecorder(library, url) {
  return recorders[library](url);
}

/** Eight attributes, 350 characters of them text. */
function attributes(index) {
  return {
    model: "gpt-5-mini",
    provider: "openai",
    tokens_input: 120 + (index % 7),
    tokens_output: 34,
    temperature: 0.2,
    stream: false,
    prompt_text: TEXTS[index % 64],
    completion_text: TEXTS[(index + 1) % 64],
  };
}

/** No library, and no spans. */
async function bare() {
  const same = (fn) => fn;
  return { makeSpan: attributes, empty: same, inSpan: same, recorded: same, flush: async () => undefined };
}

async function obspan(url) {
  const { configure, observe, flush } = await import("@obspan/sdk");
  configure({ service: "bench", pushUrl: url });
  return {
    flush,
    makeSpan: (index) =>
      observe({ name: "chat", spanType: "llm" }, (span) => {
        span.setAttributes(attributes(index));
      }),
    empty: (fn) => (input) => observe({ name: "call" }, () => fn(input)),
    inSpan: (fn) => (input) =>
      observe({ name: "chat", spanType: "llm" }, (span) => {
        span.setAttributes(attributes(input.order));
        return fn(input);
      }),
    recorded: (fn) => observe(fn),
  };
}

/** No library: the cost of making and sending the same bytes. */
async function floor(url) {
  const { push, flush } = await createBareExporter(url);
  return { flush, makeSpan: (index) => push("chat", attributes(index)) };
}

async function opentelemetry(url, compression) {
  const [{ trace, context }, sdk, { AsyncLocalStorageContextManager }, { OTLPTraceExporter }] =
    await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace-base"),
      import("@opentelemetry/context-async-hooks"),
      import("@opentelemetry/exporter-trace-otlp-http"),
    ]);
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, compression });
  const processor = new sdk.BatchSpanProcessor(exporter);
  const provider = new sdk.BasicTracerProvider({ spanProcessors: [processor] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  const tracer = trace.getTracer("bench");
  return {
    flush: () => processor.forceFlush(),
    makeSpan: (index) =>
      tracer.startActiveSpan("chat", (span) => {
        span.setAttributes(attributes(index));
        span.end();
      }),
    empty: (fn) => (input) =>
      tracer.startActiveSpan("call", async (span) => {
        try {
          return await fn(input);
        } finally {
          span.end();
        }
      }),
    inSpan: (fn) => (input) =>
      tracer.startActiveSpan("chat", async (span) => {
        span.setAttributes(attributes(input.order));
        try {
          return await fn(input);
        } finally {
          span.end();
        }
      }),
    recorded: (fn) => (input) =>
      tracer.startActiveSpan("call", async (span) => {
        try {
          span.setAttribute("input", JSON.stringify(input));
          const output = await fn(input);
          span.setAttribute("output", JSON.stringify(output));
          return output;
        } finally {
          span.end();
        }
      }),
  };
}
