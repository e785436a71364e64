import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { PLAIN_CALL, REMOTE_HEADERS, REMOTE_SPAN, STREAMED_CALL } from "../check/check.mjs";
import { ANSWER, startModelServer } from "../check/model-server.mjs";
import { COLLECTOR_URL, untilTraces } from "../check/traces.mjs";

for (const compatibilityFlags of [[], ["nodejs_compat"]]) {
  const service = ["shop", ...compatibilityFlags].join("-");
  await checkTraces(service, compatibilityFlags);
  await checkCutOffRequests(compatibilityFlags);
}
await checkStream();

/** The traces of requests, one after the other and at the same time, arrive. */
async function checkTraces(service, compatibilityFlags) {
  const model = await startModelServer();
  const script = (await bundle("worker.js")).replaceAll('"shop"', JSON.stringify(service));
  const worker = startWorker(script, compatibilityFlags, {
    OPENAI_API_KEY: "test-key",
    OPENAI_BASE_URL: model.url,
    OBS_PUSH_URL: COLLECTOR_URL,
  });
  try {
    const ask = async (headers = {}) => {
      const body = JSON.stringify({ question: "Where is my order?" });
      const response = await worker.dispatchFetch("http://shop/ask", { method: "POST", headers, body });
      assert.deepEqual(await response.json(), { answer: ANSWER });
    };
    await ask();
    await Promise.all([ask(), ask(), ask()]);
    const trace = ["agent support", `  ${PLAIN_CALL}`];
    const traces = [trace, trace, trace, trace];
    if (compatibilityFlags.length > 0) {
      await ask(REMOTE_HEADERS);
      traces.push([`${REMOTE_SPAN} > agent support`, `  ${PLAIN_CALL}`]);
    }
    await untilTraces(service, traces);
  } finally {
    await worker.dispose();
    model.close();
  }
}

/** The spans of a streamed answer end after the response has started. */
async function checkStream() {
  const model = await startModelServer();
  const worker = startWorker(await bundle("stream.js"), ["nodejs_compat"], {
    OPENAI_API_KEY: "test-key",
    OPENAI_BASE_URL: model.url,
    OBS_PUSH_URL: COLLECTOR_URL,
  });
  try {
    const response = await worker.dispatchFetch("http://shop/", { method: "POST", body: "Where is it?" });
    assert.match(await response.text(), /chat\.completion\.chunk/);
    await untilTraces("shop-stream", [["agent support", `  ${STREAMED_CALL}`]]);
  } finally {
    await worker.dispose();
    model.close();
  }
}

/** The spans of a request that ended while they were being sent are sent by a later request. */
async function checkCutOffRequests(compatibilityFlags) {
  const collector = await startSilentCollector();
  const worker = startWorker(await bundle("cut-off.js"), compatibilityFlags, { OBS_PUSH_URL: collector.url });
  const request = async (path) => (await worker.dispatchFetch(`http://shop${path}`)).json();
  try {
    await request("/forget");
    await collector.untilRequests(1);
    assert.equal((await request("/stats")).pending, 1);
    collector.answers = true;
    await request("/kept");
    await request("/flush");
    const { enqueued, acked, pending } = await request("/stats");
    assert.deepEqual({ enqueued, acked, pending }, { enqueued: 2, acked: 2, pending: 0 });
    const [first, ...others] = collector.batches;
    assert.ok(others.some(({ batch_id: id }) => id === first?.batch_id));
    assert.ok(others.some(({ spans }) => spans[0].name === "/kept"));
  } finally {
    await worker.dispose();
    collector.close();
  }
}

/** As wrangler bundles a worker. */
async function bundle(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
  });
  const text = outputFiles[0]?.text ?? "";
  assert.doesNotMatch(text, /from\s*["']node:|require\(["']node:/);
  return text;
}

function startWorker(script, compatibilityFlags, bindings) {
  return new Miniflare({
    modules: true,
    script,
    compatibilityDate: "2024-09-23",
    compatibilityFlags,
    bindings,
  });
}

/** A collector that answers nothing until `answers` is true. */
async function startSilentCollector() {
  const batches = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    batches.push(JSON.parse(body));
    if (collector.answers) response.writeHead(202).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const collector = {
    url: `http://127.0.0.1:${server.address().port}`,
    batches,
    answers: false,
    async untilRequests(count) {
      while (batches.length < count) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return collector;
}
