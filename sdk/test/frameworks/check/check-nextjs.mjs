import assert from "node:assert/strict";
import { check, PLAIN_CALL, REMOTE_HEADERS, REMOTE_SPAN, STREAMED_CALL } from "./check.mjs";

const AGENT = "agent support";

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
      const page = await fetch(app.url);
      assert.equal(page.status, 200);
      const streamed = await fetch(`${app.url}/stream`, { method: "POST", body: '{"question":"Hello?"}' });
      assert.match(await streamed.text(), /"finish_reason":"stop"/);
      expected.push([AGENT, `  ${PLAIN_CALL}`], [AGENT, `  ${PLAIN_CALL}`], [AGENT, `  ${STREAMED_CALL}`]);
      if (command === "node") {
        await app.ask("/ask", REMOTE_HEADERS);
        expected.push([`${REMOTE_SPAN} > ${AGENT}`, `  ${PLAIN_CALL}`]);
      }
      if (args[0] !== "dev") await app.stop();
      await expectTraces("shop", expected);
    }
  });
}
