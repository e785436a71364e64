/**
 * A process that creates spans with one library, exports them over HTTP and reports their cost to its parent.
 * Arguments: the library (a key of `libraries`), the URL to send to, the number of spans.
 *
 * First the CPU of the whole process since its start for 10,000 spans, then of each span in the steady state. All do the same:
 * a span with eight attributes, 350 characters of them text, around an empty block.
 */
import { createBareExporter } from "./sdk-floor.mjs";

const [, , library = "", url = "", count = "0"] = process.argv;
const BURST = 1000;
/** Made by the young process: with its start and its imports, that is what an app of some minutes pays. */
const FIRST_BURSTS = 10;
/** Made before the steady state is measured: until then the compiler still works on what the first ones ran through. */
const WARM_UP_BURSTS = 90;

/** Distinct texts, made beforehand: what is measured is the library. */
const TEXTS = Array.from({ length: 64 }, (_, index) =>
  `${index} `.padEnd(175, "the order was shipped on Monday; "),
);

const libraries = {
  obspan,
  floor,
  opentelemetry: () => opentelemetry("none"),
  // Compressed, as the SDK's batches to another machine are.
  "opentelemetry gzip": () => opentelemetry("gzip"),
};
const importStartMs = performance.now();
const { makeSpan, flush } = await libraries[library]();
const importMs = performance.now() - importStartMs;

for (let burst = 0; burst < FIRST_BURSTS; burst++) await runBurst();
const first = process.cpuUsage();
for (let burst = 0; burst < WARM_UP_BURSTS; burst++) await runBurst();
globalThis.gc?.();
const cpuBefore = process.cpuUsage();
let createMs = 0;
const bursts = Math.ceil(Number(count) / BURST);
for (let burst = 0; burst < bursts; burst++) createMs += await runBurst();
const { user, system } = process.cpuUsage(cpuBefore);
const spans = bursts * BURST;
process.send?.({
  importMs,
  spans: spans + (FIRST_BURSTS + WARM_UP_BURSTS) * BURST,
  wholeCpuMicros: first.user + first.system,
  wholeSpans: FIRST_BURSTS * BURST,
  createMicros: (createMs / spans) * 1000,
  cpuMicros: (user + system) / spans,
});
process.exit();

/** Makes spans at once, then waits until they are delivered; only the making is timed. */
async function runBurst() {
  const startMs = performance.now();
  for (let index = 0; index < BURST; index++) makeSpan(index);
  const elapsedMs = performance.now() - startMs;
  await flush();
  return elapsedMs;
}

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

async function obspan() {
  const { configure, observe, flush } = await import("@obspan/sdk");
  configure({ service: "bench", pushUrl: url });
  return {
    flush,
    makeSpan: (index) =>
      observe({ name: "chat", spanType: "llm" }, (span) => {
        span.setAttributes(attributes(index));
      }),
  };
}

/** No library: the cost of making and sending the same bytes. */
async function floor() {
  const { push, flush } = await createBareExporter(url);
  return { flush, makeSpan: (index) => push("chat", attributes(index)) };
}

async function opentelemetry(compression) {
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
  };
}
