import { check, PLAIN_CALL } from "../check/check.mjs";

await check(async ({ start, expectTraces }) => {
  const app = await start("node", ["server.js"], { OBS_FLUSH_INTERVAL: "60" });
  const trace = ["agent support", `  ${PLAIN_CALL}`];
  for (let requests = 0; requests < 4; requests++) await app.ask();
  await app.stop();
  await expectTraces("shop", [trace, trace, trace, trace]);
});
