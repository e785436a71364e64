import { readFileSync, writeFileSync } from "node:fs";
import { check, PLAIN_CALL } from "../check/check.mjs";
import { checkServer, REGISTER_ENV } from "../check/check-runtime.mjs";
import { DENO, linkProgram } from "../check/npx-program.mjs";

/** What the SDK needs, and nothing else: a prompt would end the program. */
const RUN = ["run", "--quiet", "--no-prompt", "--allow-net", "--allow-env"];

await linkProgram(DENO);
// As `deno add npm:@obspan/sdk` writes it.
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { version } = JSON.parse(readFileSync("node_modules/@obspan/sdk/package.json", "utf8"));
manifest.dependencies["@obspan/sdk"] = version;
writeFileSync("package.json", JSON.stringify(manifest));

await check(async (steps) => {
  const { run, expectTraces } = steps;
  await checkServer(steps, "deno", [...RUN, "server.ts"]);

  await run("deno", [...RUN, "--preload", "npm:@obspan/sdk/register", "app.ts"], REGISTER_ENV);
  await run("deno", ["check", "server.ts", "app.ts"]);
  await expectTraces("register", [[PLAIN_CALL]]);
});
