/**
 * The cost of the SDK for an app, compared with OpenTelemetry JS: the time to create a span; CPU for a span with its export,
 * of the whole process over its first 10,000 spans and in the steady state; and the import. Each measurement has its own
 * process, and the libraries take turns.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { median, printTable } from "./statistics.mjs";

/**
 * The measurements. `rival` is the row of the SDK that a row is compared with, in the same rounds: both with their defaults, to
 * a receiver on the same machine; and both with gzip, which the SDK uses for any other address.
 */
const ROWS = [
  { name: "obspan", library: "obspan" },
  { name: "opentelemetry", library: "opentelemetry", rival: "obspan" },
  { name: "obspan gzip", library: "obspan", isRemote: true },
  { name: "opentelemetry gzip", library: "opentelemetry gzip", rival: "obspan gzip" },
  // No library: the least cost of making and sending the same bytes.
  { name: "floor", library: "floor" },
];
/** On a busy machine OpenTelemetry's exporter sometimes times out; such a run is repeated. */
const ATTEMPTS = 5;

/**
 * @param {object} options
 * @param {number} options.rounds
 * @param {number} options.spans - in each process.
 * @returns {Promise<object[]>}
 */
export async function measureSdk({ rounds, spans }) {
  const receiver = await startReceiver();
  const samples = Object.fromEntries(ROWS.map(({ name }) => [name, []]));
  const imports = [];
  const bare = [];
  for (let round = 0; round < rounds; round++) {
    for (const row of round % 2 === 0 ? ROWS : ROWS.toReversed()) samples[row.name].push(await runWhole(row));
    imports.push(await run("./sdk-import.mjs", []));
    bare.push(await run("./sdk-bare.mjs", []));
  }
  receiver.stop();

  // The cost of Node itself is subtracted.
  for (const sample of ROWS.flatMap(({ name }) => samples[name]))
    sample.wholeMicros = (sample.wholeCpuMicros - median(bare)) / sample.wholeSpans;
  const of = (name, field) => median(samples[name].map((sample) => sample[field]));
  /** The cost of the SDK over that of another library, by round. */
  const share = (name, rival, field) =>
    median((samples[rival] ?? []).map((sample, round) => sample[field] / samples[name][round][field]));
  const results = ROWS.map(({ name, library, rival }) => ({
    library: name,
    importMs: library === "obspan" ? median(imports) : of(name, "importMs"),
    ...Object.fromEntries(
      ["createMicros", "wholeMicros", "cpuMicros"].flatMap((field) => [
        [field, of(name, field)],
        [`${field}Share`, share(name, rival, field)],
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
      row.createMicrosShare,
      row.wholeMicros,
      row.wholeMicrosShare,
      row.cpuMicros,
      row.cpuMicrosShare,
      row.importMs,
    ]),
  );
  return results;

  /** One process in which every span was delivered. */
  async function runWhole({ name, library, isRemote = false }) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const before = receiver.spans;
      const sample = await run("./sdk-spans.mjs", [
        library,
        isRemote ? receiver.remoteUrl : receiver.url,
        String(spans),
      ]);
      const delivered = receiver.spans - before;
      if (delivered === sample.spans) return sample;
      if (library !== "opentelemetry" && library !== "opentelemetry gzip")
        throw new Error(`${delivered} of ${sample.spans} spans were delivered.`);
    }
    throw new Error(`${name} lost spans in each of ${ATTEMPTS} runs.`);
  }
}

/** Runs a process. @returns its message. */
async function run(script, args) {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), args, { execArgv: ["--expose-gc"] });
  const [message] = await once(child, "message");
  if (child.exitCode === null) await once(child, "exit");
  return message;
}

/** Accepts batches of both formats and counts their spans. */
async function startReceiver() {
  const receiver = { spans: 0, url: "", remoteUrl: "", stop: () => server.close() };
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
  const { port } = server.address();
  receiver.url = `http://127.0.0.1:${port}`;
  // The same machine, at an address that the SDK does not recognise as local.
  receiver.remoteUrl = `http://0.0.0.0:${port}`;
  return receiver;
}
