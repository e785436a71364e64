import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { check, PLAIN_CALL, REMOTE_HEADERS, REMOTE_SPAN } from "../check/check.mjs";
import { BUN, linkProgram } from "../check/npx-program.mjs";

await linkProgram(BUN);
renameSync("bunfig.toml", "preload.toml");
writeFileSync("with-register.ts", `import "@obspan/sdk/register";\n${readFileSync("app.ts", "utf8")}`);

await check(async ({ run, start, expectTraces }) => {
  const server = await start("bun", ["server.ts"]);
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
  await run("bun", ["--preload", "@obspan/sdk/register", "app.ts"], env);
  await run("bun", ["--config=preload.toml", "app.ts"], env);
  await run("bun", ["build", "--target=bun", "--outfile=bundled/app.js", "app.ts"]);
  await run("bun", ["--preload", "@obspan/sdk/register", "bundled/app.js"], env);
  await run("bun", ["build", "--compile", "--outfile=node_modules/.bin/compiled", "with-register.ts"]);
  await run("compiled", [], env);
  await expectTraces("register", Array(4).fill([PLAIN_CALL]));
});
