/** Calls the handler as a platform does that freezes the process between two events, and kills it later. */
import assert from "node:assert/strict";
import { handler } from "./handler.js";

const event = { headers: {}, body: JSON.stringify({ question: "Where is my order?" }) };
for (let events = 0; events < 2; events++) {
  const { statusCode } = await handler(event);
  assert.equal(statusCode, 200);
}
await assert.rejects(handler({ headers: {}, body: "not JSON" }), SyntaxError);
process.kill(process.pid, "SIGKILL");
