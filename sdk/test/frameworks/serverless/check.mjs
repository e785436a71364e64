import { check, PLAIN_CALL } from "../check/check.mjs";

await check(async ({ run, expectTraces }) => {
  await run("node", ["platform.mjs"], { OBS_FLUSH_INTERVAL: "60" }, null);
  const trace = ["agent support", `  ${PLAIN_CALL}`];
  await expectTraces("shop", [trace, trace]);
});
