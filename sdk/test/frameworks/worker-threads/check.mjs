import { check, PLAIN_CALL } from "../check/check.mjs";

await check(async ({ run, expectTraces }) => {
  await run("node", ["pool.js"], { OBS_FLUSH_INTERVAL: "60" });
  await expectTraces("shop", [["agent support", "  task answer", `    ${PLAIN_CALL}`]]);
});
