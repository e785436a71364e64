import assert from "node:assert/strict";
import { check, PLAIN_CALL } from "../check/check.mjs";

await check(async ({ run, expectTraces }) => {
  const expected = [];
  for (const options of [["--runInBand"], ["--maxWorkers=2"]]) {
    const output = await run("jest", options, { OBS_FLUSH_INTERVAL: "60" });
    assert.doesNotMatch(output, /\[obspan\]|Warning|did not exit|open handle/);
    for (let file = 0; file < 2; file++) expected.push(["agent support", `  ${PLAIN_CALL}`]);
    await expectTraces("shop-tests", expected);
  }
});
