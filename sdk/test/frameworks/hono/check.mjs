import { check, PLAIN_CALL, REMOTE_HEADERS, REMOTE_SPAN } from "../check/check.mjs";

await check(async ({ start, expectTraces }) => {
  const app = await start("node", ["server.js"]);
  await app.ask();
  await app.ask("/ask", REMOTE_HEADERS);
  await expectTraces("shop", [
    ["agent support", `  ${PLAIN_CALL}`],
    [`${REMOTE_SPAN} > agent support`, `  ${PLAIN_CALL}`],
  ]);
});
