#!/usr/bin/env node
import { existsSync } from "node:fs";

const built = new URL("../dist/main.js", import.meta.url);

if (existsSync(built)) {
  const { main } = await import(built.href);
  process.exitCode = await main(process.argv.slice(2));
} else {
  process.stderr.write("obspan is not built yet: run `npm run build`.\n");
  process.exitCode = 1;
}
