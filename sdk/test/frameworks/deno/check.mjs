import { readFileSync, writeFileSync } from "node:fs";
import { check, PLAIN_CALL, REMOTE_HEADERS, REMOTE_SPAN } from "../check/check.mjs";
import { DENO, linkProgram } from "../check/npx-program.mjs";

/** What the SDK needs, and nothing else: a prompt would end the program. */
const RUN = ["run", "--quiet", "--no-prompt", "--allow-net", "--allow-env"];

await linkProgram(DENO);
// As `deno add npm:@obspan/sdk` writes it.
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { version } = JSON.parse(readFileSync("node_modules/@obspan/sdk/package.json", "utf8"));
manifest.dependencies["@obspan/sdk"] = version;
writeFileSync("package.json", JSON.stringify(manifest));

await check(async ({ run, start, expectTraces }) => {
  const server = await start("deno", [...RUN, "server.ts"]);
  await server.ask();
  await server.ask("/ask", REMOTE_HEADERS);
  const answer = ["agent support", `  ${PLAIN_CALL}`];
  await expectTraces("shop", [answer, [`${REMOTE_SPAN} > ${answer[0]}`, answer[1]]]);

  const env = {
    OBS_SERVICE: "register",
    OBS_PUSH_URL: process.env.COLLECTOR_URL,
    OBS_PROVIDER_HOSTS: "127.0.0.1",
    OBS_FLUSH_INTERVAL: "60",
  };
  await run("deno", [...RUN, "--preload", "npm:@obspan/sdk/register", "app.ts"], env);
  await run("deno", ["check", "server.ts", "app.ts"]);
  await expectTraces("register", [[PLAIN_CALL]]);
});
