/**
 * `node packaging/check-image.mjs <image>`: checks a built image with Docker. It is small, runs as another user than root, starts on a
 * read-only file system, is healthy, and ends at SIGTERM with the ledger as its last line.
 */
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const MAX_BYTES = 250_000_000;
const START_WITHIN_MS = 30_000;
const STOP_WITHIN_SECONDS = 35;
const HEALTH = ["/nodejs/bin/node", "/app/health-check.mjs", "/ready"];

const [, , image] = process.argv;
if (image === undefined) fail("Usage: node packaging/check-image.mjs <image>");

const { Size: bytes, Config: config } = JSON.parse(docker("image", "inspect", image).stdout)[0];
if (bytes > MAX_BYTES) fail(`The image has ${bytes} bytes; the limit is ${MAX_BYTES}.`);
if (!/^[1-9]\d*(:|$)/.test(config.User)) fail(`The image runs as "${config.User}".`);

const hardened = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"];
const container = docker("run", "--detach", ...hardened, image).stdout.trim();
try {
  const deadline = Date.now() + START_WITHIN_MS;
  while (tryDocker("exec", container, ...HEALTH).status !== 0) {
    if (Date.now() > deadline) fail(`It is not ready:\n${logs()}`);
    await sleep(200);
  }
  docker("stop", "--time", String(STOP_WITHIN_SECONDS), container);
  const exitCode = docker("inspect", "--format", "{{.State.ExitCode}}", container).stdout.trim();
  if (exitCode !== "0") fail(`It ended with ${exitCode} at SIGTERM:\n${logs()}`);
  if (!/\bLedger\b/.test(logs().trimEnd().split("\n").at(-1) ?? "")) fail(`No ledger at its end:\n${logs()}`);
} finally {
  tryDocker("rm", "--force", "--volumes", container);
}
console.log(`${image}: ${Math.round(bytes / 1e6)} MB, user ${config.User}, ready and stopped as expected`);

function logs() {
  return tryDocker("logs", container).stderr;
}

function docker(...args) {
  const result = tryDocker(...args);
  if (result.status !== 0) fail(`docker ${args.join(" ")}: ${result.stderr ?? result.error}`);
  return result;
}

function tryDocker(...args) {
  return spawnSync("docker", args, { encoding: "utf8" });
}

function fail(message) {
  throw new Error(message);
}
