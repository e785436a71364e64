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

const LIBRARIES = ["obspan", "opentelemetry"];

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
      const before = receiver.spans;
      const sample = await run("./sdk-spans.mjs", [library, receiver.url, String(spans)]);
      const delivered = receiver.spans - before;
      if (delivered !== sample.spans)
        throw new Error(`${library}: ${delivered} of ${sample.spans} spans were delivered.`);
      samples[library].push(sample);
    }
    imports.push(await run("./sdk-import.mjs", []));
    bare.push(await run("./sdk-bare.mjs", []));
  }
  receiver.stop();

  // What Node itself costs is no library's.
  for (const sample of LIBRARIES.flatMap((library) => samples[library]))
    sample.wholeMicros = (sample.wholeCpuMicros - median(bare)) / sample.wholeSpans;
  const of = (library, field) => median(samples[library].map((sample) => sample[field]));
  const ratio = (field) =>
    median(samples.obspan.map((sample, round) => sample[field] / samples.opentelemetry[round][field]));
  const results = LIBRARIES.map((library) => ({
    library,
    createMicros: of(library, "createMicros"),
    wholeMicros: of(library, "wholeMicros"),
    cpuMicros: of(library, "cpuMicros"),
    createRatio: library === "obspan" ? ratio("createMicros") : 1,
    wholeRatio: library === "obspan" ? ratio("wholeMicros") : 1,
    cpuRatio: library === "obspan" ? ratio("cpuMicros") : 1,
    importMs: library === "obspan" ? median(imports) : of(library, "importMs"),
  }));
  console.log("\nThe SDK, a span of eight attributes and 350 characters of text, exported to a receiver");
  printTable(
    ["", "create µs", "of OTel", "CPU µs, whole process", "of OTel", "steady", "of OTel", "import ms"],
    results.map((row) => [
      row.library,
      row.createMicros,
      row.createRatio.toFixed(2),
      row.wholeMicros,
      row.wholeRatio.toFixed(2),
      row.cpuMicros,
      row.cpuRatio.toFixed(2),
      row.importMs,
    ]),
  );
  return results;
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
