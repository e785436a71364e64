/**
 * What having the SDK costs an app, beside OpenTelemetry JS: time to make a span; CPU for a span with its export, of the
 * whole process with its start over its first 10,000 spans, in bursts that a flush follows, and at a fixed rate; and the
 * import. Each measurement is a process of its own, and the libraries take turns.
 */
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { measureBars, missedBars, printBars, runProcess as run } from "./sdk-bars.mjs";
import { projectDirectory } from "./servers.mjs";
import { median, printTable } from "./statistics.mjs";

/**
 * What is measured; `rival` is the row of the SDK's that a row is compared with, in the same rounds: OpenTelemetry as it comes
 * with the SDK as it comes, to a receiver on the same machine; and both with gzip, which the SDK uses towards any other address.
 */
const ROWS = [
  { name: "obspan", library: "obspan" },
  { name: "opentelemetry", library: "opentelemetry", rival: "obspan" },
  { name: "obspan gzip", library: "obspan", isRemote: true },
  { name: "opentelemetry gzip", library: "opentelemetry gzip", rival: "obspan gzip" },
  { name: "langfuse", library: "langfuse", rival: "obspan" },
  { name: "laminar", library: "laminar", rival: "obspan" },
  // Nobody's: the least that making and sending the same bytes costs.
  { name: "floor", library: "floor" },
];
/** A busy machine lets OpenTelemetry's exporter time out now and then: such a run says nothing, and is repeated. */
const ATTEMPTS = 5;

/**
 * @param {object} options
 * @param {number} options.rounds
 * @param {number} options.spans - in each process.
 * @param {string} [options.checkout] - a built checkout, whose SDK is measured. Default: this one.
 * @param {boolean} [options.isAlone] - measures only the SDK, and no third-party library.
 * @param {boolean} [options.isQuick]
 * @returns {Promise<{ rows: object[], bars: object }>}
 */
export async function measureSdk({
  rounds,
  spans,
  checkout = projectDirectory,
  isAlone = false,
  isQuick = false,
}) {
  const rows = isAlone ? ROWS.filter(({ library }) => library === "obspan") : ROWS;
  const receiver = await startReceiver();
  const samples = Object.fromEntries(rows.map(({ name }) => [name, []]));
  const imports = [];
  const bare = [];
  for (let round = 0; round < rounds; round++) {
    for (const row of round % 2 === 0 ? rows : rows.toReversed()) samples[row.name].push(await runWhole(row));
    imports.push(await run(checkout, "sdk-import.mjs", []));
    bare.push(await run(checkout, "sdk-bare.mjs", []));
  }
  const [calls, seconds] = isQuick ? [20_000, 3] : [100_000, 10];
  const bars = await measureBars({ rounds, calls, seconds, checkout, receiver, isAlone });
  receiver.stop();

  // What Node itself costs is no library's.
  for (const sample of rows.flatMap(({ name }) => samples[name]))
    sample.wholeMicros = (sample.wholeCpuMicros - median(bare)) / sample.wholeSpans;
  const of = (name, field) => median(samples[name].map((sample) => sample[field]));
  /** The SDK's share of what another needs, round by round. */
  const share = (name, rival, field) =>
    median((samples[rival] ?? []).map((sample, round) => sample[field] / samples[name][round][field]));
  return {
    bars,
    rows: rows.map(({ name, library, rival }) => ({
      library: name,
      importMs: library === "obspan" ? median(imports) : of(name, "importMs"),
      ...Object.fromEntries(
        ["createMicros", "wholeMicros", "cpuMicros"].flatMap((field) => [
          [field, of(name, field)],
          [`${field}Share`, share(name, rival, field)],
        ]),
      ),
    })),
  };

  /** One process in which every span was delivered. */
  async function runWhole({ name, library, isRemote = false }) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const before = receiver.spans;
      const sample = await run(checkout, "sdk-spans.mjs", [
        library,
        isRemote ? receiver.remoteUrl : receiver.url,
        String(spans),
      ]);
      const delivered = receiver.spans - before;
      if (delivered === sample.spans) return sample;
      if (library === "obspan" || library === "floor")
        throw new Error(`${delivered} of ${sample.spans} spans were delivered.`);
    }
    throw new Error(`${name} lost spans in each of ${ATTEMPTS} runs.`);
  }
}

/** @param {Awaited<ReturnType<typeof measureSdk>>} results */
export function printSdk({ rows, bars }) {
  console.log("\nThe SDK, a span of eight attributes and 350 characters of text, exported to a receiver");
  printTable(
    [
      "",
      "create µs",
      "SDK's share",
      "CPU µs, whole process",
      "SDK's share",
      "in bursts",
      "SDK's share",
      "import ms",
    ],
    rows.map((row) => [
      row.library,
      row.createMicros,
      row.createMicrosShare,
      row.wholeMicros,
      row.wholeMicrosShare,
      row.cpuMicros,
      row.cpuMicrosShare,
      row.importMs,
    ]),
  );
  printBars(bars);
}

/** @param {Awaited<ReturnType<typeof measureSdk>>} results @returns {string[]} the goals that are missed, a line each. */
export function missedOfSdk({ bars }) {
  return missedBars(bars);
}

/** Takes batches of all formats, and counts their spans. */
async function startReceiver() {
  const receiver = { spans: 0, url: "", remoteUrl: "", stop: () => server.close() };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const plain = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      if (request.headers["content-type"] === "application/json") {
        const json = JSON.parse(plain);
        const groups = json.resourceSpans?.flatMap(({ scopeSpans }) => scopeSpans) ?? [json];
        for (const { spans } of groups) receiver.spans += spans.length;
      } else receiver.spans += countMessages(plain, [1, 2, 2]);
      response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  receiver.url = `http://127.0.0.1:${port}`;
  // The same machine, at an address of which nobody knows that it is.
  receiver.remoteUrl = `http://0.0.0.0:${port}`;
  return receiver;
}

/** Counts the messages at a path of field numbers in a message of protobuf. */
function countMessages(bytes, [field, ...rest]) {
  const reader = new BinaryReader(bytes);
  let count = 0;
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number !== field || type !== WireType.LengthDelimited) reader.skip(type, number);
    else {
      const message = reader.bytes();
      count += rest.length === 0 ? 1 : countMessages(message, rest);
    }
  }
  return count;
}
