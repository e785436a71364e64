import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { EdgeRuntime, runServer } from "edge-runtime";
import { build } from "esbuild";
import { PLAIN_CALL, REMOTE_HEADERS, REMOTE_SPAN } from "../check/check.mjs";
import { ANSWER, startModelServer } from "../check/model-server.mjs";
import { untilTraces } from "../check/traces.mjs";

/** What Vercel adds to the runtime: it calls the handler, and has these globals. */
const ENTRY = `
  import handler from "./ask.js";
  addEventListener("fetch", (event) => {
    event.respondWith(handler(event.request, { waitUntil: (promise) => event.waitUntil(promise) }));
  });
`;

const { outputFiles } = await build({
  stdin: { contents: ENTRY, resolveDir: import.meta.dirname },
  bundle: true,
  write: false,
  format: "iife",
  target: "es2022",
  conditions: ["edge-light", "browser"],
});
const initialCode = outputFiles[0]?.text ?? "";
assert.doesNotMatch(initialCode, /require\(["']node:/);

const model = await startModelServer();
const env = { OPENAI_API_KEY: "test-key", OPENAI_BASE_URL: model.url };
const runtime = new EdgeRuntime({
  initialCode,
  extend: (context) => Object.assign(context, { AsyncLocalStorage, process: { env } }),
});
const server = await runServer({ runtime, host: "127.0.0.1", port: 0 });
try {
  const ask = async (headers = {}) => {
    const body = JSON.stringify({ question: "Where is my order?" });
    const response = await fetch(server.url, { method: "POST", headers, body });
    assert.deepEqual(await response.json(), { answer: ANSWER });
  };
  await Promise.all([ask(), ask(), ask(REMOTE_HEADERS)]);
  const trace = ["agent support", `  ${PLAIN_CALL}`];
  await untilTraces("shop", [trace, trace, [`${REMOTE_SPAN} > agent support`, `  ${PLAIN_CALL}`]]);
} finally {
  await server.close();
  model.close();
}
