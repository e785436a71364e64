import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { check, PLAIN_CALL } from "../check/check.mjs";
import { checkServer, REGISTER_ENV } from "../check/check-runtime.mjs";
import { BUN, linkProgram } from "../check/npx-program.mjs";

await linkProgram(BUN);
renameSync("bunfig.toml", "preload.toml");
writeFileSync("with-register.ts", `import "@obspan/sdk/register";\n${readFileSync("app.ts", "utf8")}`);

await check(async (steps) => {
  const { run, expectTraces } = steps;
  await checkServer(steps, "bun", ["server.ts"]);

  await run("bun", ["--preload", "@obspan/sdk/register", "app.ts"], REGISTER_ENV);
  await run("bun", ["--config=preload.toml", "app.ts"], REGISTER_ENV);
  await run("bun", ["build", "--target=bun", "--outfile=bundled/app.js", "app.ts"]);
  await run("bun", ["--preload", "@obspan/sdk/register", "bundled/app.js"], REGISTER_ENV);
  await run("bun", ["build", "--compile", "--outfile=node_modules/.bin/compiled", "with-register.ts"]);
  await run("compiled", [], REGISTER_ENV);
  await expectTraces("register", Array(4).fill([PLAIN_CALL]));
});
