import assert from "node:assert/strict";
import { check, PLAIN_CALL, REMOTE_HEADERS, REMOTE_SPAN } from "./check.mjs";

/** Compiles and runs an app of NestJS. */
export function checkNestjs() {
  return check(async ({ run, start, expectTraces }) => {
    await run("tsc");
    const app = await start("node", ["dist/main.js"], { OBS_FLUSH_INTERVAL: "60" });
    await app.ask("/ask");
    await app.ask("/ask-again");
    await app.ask("/ask", REMOTE_HEADERS);
    // A status other than Nest's own 201 for POST is metadata of the method, as its route is.
    for (const path of ["/ask", "/ask-again"])
      assert.equal((await fetch(app.url + path, { method: "POST" })).status, 200);
    await app.stop();
    const below = ["  agent support", `    ${PLAIN_CALL}`];
    await expectTraces("shop", [
      ["span POST /ask", ...below],
      ["span POST /ask", ...below],
      ["span POST /ask-again", ...below],
      ["span POST /ask-again", ...below],
      [`${REMOTE_SPAN} > span POST /ask`, ...below],
    ]);
  });
}
