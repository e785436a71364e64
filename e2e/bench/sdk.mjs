/**
 * What having the SDK costs an app, beside OpenTelemetry JS: time to make a span; CPU for a span with its export, of the
 * whole process with its start over its first 10,000 spans, and in the steady state; and the import. Each measurement is a process of its own, and the libraries take turns.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { median, printTable } from "./statistics.mjs";

/** The first is measured against the others. OpenTelemetry as it comes, and compressing its batches as the SDK does. */
const LIBRARIES = ["obspan", "opentelemetry", "opentelemetry gzip"];
/** A busy machine lets OpenTelemetry's exporter time out now and then: such a run says nothing, and is repeated. */
const ATTEMPTS = 5;

/**
 * @param {object} options
 * @param {number} options.rounds
 * @param {number} options.spans - in each process.
 * @returns {Promise<object[]>}
 */
export async function measureSdk({ rounds, spans }) {
  const receiver = await startReceiver();
  const samples = Object.fromEntries(LIBRARIES.map((library) => [library, []]));
  const imports = [];
  const bare = [];
  for (let round = 0; round < rounds; round++) {
    for (const library of round % 2 === 0 ? LIBRARIES : LIBRARIES.toReversed()) {
      samples[library].push(await runWhole(library));
    }
    imports.push(await run("./sdk-import.mjs", []));
    bare.push(await run("./sdk-bare.mjs", []));
  }
  receiver.stop();

  // What Node itself costs is no library's.
  for (const sample of LIBRARIES.flatMap((library) => samples[library]))
    sample.wholeMicros = (sample.wholeCpuMicros - median(bare)) / sample.wholeSpans;
  const of = (library, field) => median(samples[library].map((sample) => sample[field]));
  /** The SDK's share of what another library needs, round by round. */
  const share = (library, field) =>
    median(samples.obspan.map((sample, round) => sample[field] / samples[library][round][field]));
  const results = LIBRARIES.map((library) => ({
    library,
    importMs: library === "obspan" ? median(imports) : of(library, "importMs"),
    ...Object.fromEntries(
      ["createMicros", "wholeMicros", "cpuMicros"].flatMap((field) => [
        [field, of(library, field)],
        [`${field}Share`, share(library, field)],
      ]),
    ),
  }));
  console.log("\nThe SDK, a span of eight attributes and 350 characters of text, exported to a receiver");
  printTable(
    [
      "",
      "create µs",
      "SDK's share",
      "CPU µs, whole process",
      "SDK's share",
      "steady",
      "SDK's share",
      "import ms",
    ],
    results.map((row) => [
      row.library,
      row.createMicros,
      row.createMicrosShare.toFixed(2),
      row.wholeMicros,
      row.wholeMicrosShare.toFixed(2),
      row.cpuMicros,
      row.cpuMicrosShare.toFixed(2),
      row.importMs,
    ]),
  );
  return results;

  /** One process in which every span was delivered. */
  async function runWhole(library) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const before = receiver.spans;
      const sample = await run("./sdk-spans.mjs", [library, receiver.url, String(spans)]);
      const delivered = receiver.spans - before;
      if (delivered === sample.spans) return sample;
      if (library === "obspan") throw new Error(`${delivered} of ${sample.spans} spans were delivered.`);
    }
    throw new Error(`${library} lost spans in each of ${ATTEMPTS} runs.`);
  }
}

/** Runs a process, and gives what it sends. */
async function run(script, args) {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), args, { execArgv: ["--expose-gc"] });
  const [message] = await once(child, "message");
  if (child.exitCode === null) await once(child, "exit");
  return message;
}

/** Takes batches of both formats, and counts their spans. */
async function startReceiver() {
  const receiver = { spans: 0, url: "", stop: () => server.close() };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const json = JSON.parse(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body);
      const groups = json.resourceSpans?.flatMap(({ scopeSpans }) => scopeSpans) ?? [json];
      for (const { spans } of groups) receiver.spans += spans.length;
      response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${server.address().port}`;
  return receiver;
}
