import { readFileSync, writeFileSync } from "node:fs";
import { check, PLAIN_CALL, REMOTE_HEADERS, REMOTE_SPAN } from "../check/check.mjs";

writeFileSync("server-4.js", readFileSync("server.js", "utf8").replace('"express"', '"express-4"'));

await check(async ({ start, expectTraces }) => {
  const version5 = await start("node", ["server.js"]);
  await version5.ask();
  await version5.ask("/ask", REMOTE_HEADERS);
  const version4 = await start("node", ["server-4.js"]);
  await version4.ask();
  const run = ["agent support", `  ${PLAIN_CALL}`];
  await expectTraces("shop", [run, run, [`${REMOTE_SPAN} > ${run[0]}`, `  ${PLAIN_CALL}`]]);
});
