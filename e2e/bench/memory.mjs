/** The memory of a stored span, compared with the bytes of its JSON. */
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { scrape, startCollector } from "./servers.mjs";
import { printTable } from "./statistics.mjs";

/** The default of `limits.max_traces`, which fills the store. */
const TRACES = 10_000;
const SPANS_PER_TRACE = 10;
/** Characters of text that make a span of about 1 KB. */
const TEXT_LENGTH = 640;

/**
 * @param {object} options
 * @param {import("./load.mjs").LoadGenerator} options.generator
 * @param {string} [options.checkout] - a built checkout. Default: this one.
 * @returns {Promise<object>}
 */
export async function measureMemory({ generator, checkout }) {
  const probe = new URL("./memory-probe.mjs", import.meta.url).href;
  const collector = await startCollector({
    checkout,
    nodeArguments: ["--expose-gc", "--import", probe],
  });
  const read = async () => {
    collector.process.send("measure");
    const [usage] = await once(collector.process, "message");
    return usage;
  };
  const order = { port: collector.port, spans: SPANS_PER_TRACE, textLength: TEXT_LENGTH, connections: 4 };

  // One repeated trace warms up code and buffers, and stores only ten spans.
  await generator.run({ ...order, seconds: 0, requests: TRACES, sameTraces: true });
  await collector.settled();
  const before = await read();
  const { bytes, otherAnswers } = await generator.run({ ...order, seconds: 0, requests: TRACES });
  await collector.settled();
  const after = await read();
  const storedSpans = (await scrape(collector.port))("obs_trace_store_spans");
  await collector.stop();

  const spans = TRACES * SPANS_PER_TRACE;
  if (storedSpans !== spans) throw new Error(`${storedSpans} of ${spans} spans were stored.`);
  const jsonBytes = bytes / SPANS_PER_TRACE;
  const perSpan = (field) => (after[field] - before[field]) / spans;
  return {
    spans,
    jsonBytes,
    offHeapBytes: perSpan("arrayBuffers"),
    heapBytes: perSpan("heapUsed"),
    rssBytes: perSpan("rss"),
    heapUsedMb: after.heapUsed / 1e6,
    rssMb: after.rss / 1e6,
    otherAnswers,
  };
}

/** @param {Awaited<ReturnType<typeof measureMemory>>} result */
export function printMemory(result) {
  const { jsonBytes } = result;
  console.log(
    `\nMemory, ${TRACES.toLocaleString("en")} traces of ${SPANS_PER_TRACE} spans, full garbage collections`,
  );
  printTable(
    ["a span takes", "bytes", "of its JSON"],
    [
      ["JSON as sent", jsonBytes, "1.00"],
      ["off the heap", result.offHeapBytes, (result.offHeapBytes / jsonBytes).toFixed(2)],
      ["on the heap", result.heapBytes, (result.heapBytes / jsonBytes).toFixed(2)],
      ["resident memory", result.rssBytes, (result.rssBytes / jsonBytes).toFixed(2)],
    ],
  );
}
