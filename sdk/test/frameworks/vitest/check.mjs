import assert from "node:assert/strict";
import { check, PLAIN_CALL } from "../check/check.mjs";

const modes = [["--no-isolate"], ["--pool=vmThreads"], ["--pool=threads"], []];
if (process.env.CHECK_QUICKLY === "true") modes.splice(1);

await check(async ({ run, expectTraces }) => {
  const expected = [];
  for (const options of modes) {
    const output = await run("vitest", ["run", "--maxWorkers=1", ...options], { OBS_FLUSH_INTERVAL: "60" });
    assert.doesNotMatch(output, /\[obspan\]|Warning/);
    for (let file = 0; file < 2; file++) expected.push(["agent support", `  ${PLAIN_CALL}`]);
    await expectTraces("shop-tests", expected);
  }
});
