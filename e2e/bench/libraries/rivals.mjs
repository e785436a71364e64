/**
 * Other libraries that record spans of LLM apps, set up as their guides say, with a receiver on this machine.
 *
 * @typedef {object} Recorder
 * @property {(index: number) => void} makeSpan - makes a span with attributes.
 * @property {Wrap} empty - each call runs in a span without attributes.
 * @property {Wrap} inSpan - each call runs in a span with attributes.
 * @property {Wrap} recorded - each call runs in a span with its input and its output.
 * @property {() => Promise<void>} flush
 *
 * @callback Wrap
 * @param {(input: { order: number }) => Promise<object>} fn
 * @returns {(input: { order: number }) => Promise<object>}
 */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";

/**
 * @param {string} url - of the receiver.
 * @param {(index: number) => object} attributes
 * @returns {Promise<Recorder>}
 */
export async function langfuse(url, attributes) {
  const [{ LangfuseSpanProcessor }, tracing, { BasicTracerProvider }] = await Promise.all([
    import("@langfuse/otel"),
    import("@langfuse/tracing"),
    import("@opentelemetry/sdk-trace-base"),
  ]);
  const processor = new LangfuseSpanProcessor({ publicKey: "pk", secretKey: "sk", baseUrl: url });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  tracing.setLangfuseTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
  return {
    flush: () => processor.forceFlush(),
    makeSpan: (index) => {
      tracing.startActiveObservation(
        "chat",
        (generation) => void generation.update(generationOf(attributes(index))),
        { asType: "generation" },
      );
    },
    empty: (fn) => (input) => tracing.startActiveObservation("call", () => fn(input)),
    inSpan: (fn) => (input) =>
      tracing.startActiveObservation(
        "chat",
        (generation) => {
          generation.update(generationOf(attributes(input.order)));
          return fn(input);
        },
        { asType: "generation" },
      ),
    recorded: (fn) => tracing.observe(fn, { name: "call" }),
  };
}

/**
 * @param {string} url - of the receiver.
 * @param {(index: number) => object} attributes
 * @returns {Promise<Recorder>}
 */
export async function laminar(url, attributes) {
  const { Laminar, observe } = await import("@lmnr-ai/lmnr");
  const { hostname, port } = new URL(url);
  Laminar.initialize({
    projectApiKey: "key",
    baseUrl: `http://${hostname}`,
    httpPort: Number(port),
    forceHttp: true,
    instrumentModules: {},
  });
  const quiet = { name: "chat", spanType: "LLM", ignoreInput: true, ignoreOutput: true };
  const empty = { name: "call", ignoreInput: true, ignoreOutput: true };
  const valuesOf = (index) => {
    const { prompt_text: input, completion_text: output, ...rest } = attributes(index);
    return { ...rest, "lmnr.span.input": input, "lmnr.span.output": output };
  };
  return {
    flush: () => Laminar.flush(),
    makeSpan: (index) => {
      const span = Laminar.startSpan({ name: "chat", spanType: "LLM" });
      span.setAttributes(valuesOf(index));
      span.end();
    },
    empty: (fn) => (input) => observe(empty, fn, input),
    inSpan: (fn) => (input) =>
      observe(quiet, () => {
        Laminar.setSpanAttributes(valuesOf(input.order));
        return fn(input);
      }),
    recorded: (fn) => (input) => observe({ name: "call" }, fn, input),
  };
}

/** The attributes in the fields that Langfuse has for them. */
function generationOf({
  model,
  provider,
  tokens_input,
  tokens_output,
  prompt_text,
  completion_text,
  ...rest
}) {
  return {
    model,
    input: prompt_text,
    output: completion_text,
    usageDetails: { input: tokens_input, output: tokens_output },
    modelParameters: { temperature: rest.temperature },
    metadata: { provider, stream: rest.stream },
  };
}
