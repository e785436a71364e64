import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const LOGGER = fileURLToPath(new URL("../../dist/logging/logger.js", import.meta.url));

/** A program that logs to its own stderr. */
function program(statements: string): string[] {
  const source = `
    import { createLogger } from ${JSON.stringify(LOGGER)};
    const logger = createLogger({ level: "INFO", structured: true });
    ${statements}`;
  return ["--input-type=module", "--eval", source];
}

it("writes the last line before the process exits", () => {
  const { stderr, status } = spawnSync(
    process.execPath,
    program(`for (let i = 0; i < 5000; i += 1) logger.info("line", { i }); process.exit(3);`),
    { encoding: "utf8" },
  );
  const lines = stderr.trim().split("\n");
  expect(lines).toHaveLength(5000);
  expect(lines.at(-1)).toContain('"i":4999');
  expect(status).toBe(3);
});

it("continues after the reader of stderr is gone (EPIPE)", async () => {
  const child = spawn(
    process.execPath,
    program(`
      logger.info("first");
      process.stdin.once("data", () => {
        for (let i = 0; i < 1000; i += 1) logger.info("line", { i });
        process.stdout.write("survived", () => process.exit(0));
      });`),
  );
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  await new Promise((resolve) => child.stderr.once("data", resolve));
  child.stderr.destroy();
  child.stdin.write("go\n");
  const code = await new Promise((resolve) => child.on("exit", resolve));
  expect(stdout).toBe("survived");
  expect(code).toBe(0);
});
