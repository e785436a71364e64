import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { check, PLAIN_CALL, REMOTE_HEADERS, REMOTE_SPAN, STREAMED_CALL } from "./check.mjs";

const AGENT = "agent support";

const TRACES = [
  [AGENT, `  ${PLAIN_CALL}`],
  [AGENT, `  ${PLAIN_CALL}`],
  [AGENT, `  ${STREAMED_CALL}`],
];

/** What the routes with `runtime = "edge"` send, by `flush()`: nothing else sends their spans within a minute. */
const EDGE_TRACES = [
  [AGENT, `  ${PLAIN_CALL}`],
  [AGENT, `  ${STREAMED_CALL}`],
  [`${REMOTE_SPAN} > ${AGENT}`, `  ${PLAIN_CALL}`],
];

/** Runs an app of Next.js in development, built, and built as a standalone server. */
export function checkNextjs() {
  return check(async ({ run, start, expectTraces }) => {
    const env = { NEXT_TELEMETRY_DISABLED: "1", HOSTNAME: "127.0.0.1" };
    const expected = [];
    for (const [command, ...args] of [
      ["next", "dev"],
      ["next", "start"],
      ["node", ".next/standalone/server.js"],
    ]) {
      if (args[0] === "start") await run("next", ["build"], env);
      // A server in production gets SIGTERM before the interval is over.
      const app = await start(command, args, args[0] === "dev" ? env : { ...env, OBS_FLUSH_INTERVAL: "60" });
      await app.ask();
      await readPageAndStream(app.url);
      expected.push(...TRACES);
      await askEdge(app);
      expected.push(...EDGE_TRACES);
      if (command === "node") {
        await app.ask("/ask", REMOTE_HEADERS);
        expected.push([`${REMOTE_SPAN} > ${AGENT}`, `  ${PLAIN_CALL}`]);
      }
      if (args[0] !== "dev") await app.stop();
      await expectTraces("shop", expected);
    }

    // Without a wrapped client, by the hook of fetch.
    change(
      "instrumentation.ts",
      'await import("./lib/obspan");',
      '{ $& await import("@obspan/sdk/register"); }',
    );
    change("lib/support.ts", /wrapOpenAI\((.*)\)/, "$1");
    const app = await start("next", ["dev"], env);
    await app.ask();
    await readPageAndStream(app.url);
    expected.push(...TRACES);
    await expectTraces("shop", expected);
  });
}

/** @param {string} url */
async function readPageAndStream(url) {
  const page = await fetch(url);
  assert.equal(page.status, 200);
  await readStream(`${url}/stream`);
}

/** @param {string} url */
async function readStream(url) {
  const streamed = await fetch(url, { method: "POST", body: '{"question":"Hello?"}' });
  assert.match(await streamed.text(), /"finish_reason":"stop"/);
}

/** @param {import("./check.mjs").App} app */
async function askEdge({ url, ask }) {
  await ask("/edge/ask");
  await ask("/edge/ask", { traceparent: `00-${randomBytes(16).toString("hex")}-${REMOTE_SPAN}-01` });
  await readStream(`${url}/edge/stream`);
}

/** @param {string} file @param {string | RegExp} text @param {string} replacement */
function change(file, text, replacement) {
  const before = readFileSync(file, "utf8");
  const after = before.replace(text, replacement);
  assert.notEqual(after, before);
  writeFileSync(file, after);
}
