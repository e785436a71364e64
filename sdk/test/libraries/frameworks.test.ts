import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
/** One project of each kind. The others need an installation of their own: `npm run test:frameworks`. */
const PROJECTS = ["cluster", "hono", "serverless", "vitest", "worker-threads"];

it("projects of users send the traces of the guide", async () => {
  const installed = [join(import.meta.dirname, "node_modules"), join(ROOT, "node_modules")];
  const options = [
    ...installed.flatMap((directory) => ["--installed", directory]),
    ...PROJECTS.flatMap((name) => ["--only", name]),
  ];
  const run = promisify(execFile)(process.execPath, ["scripts/test-frameworks.mjs", ...options], {
    cwd: ROOT,
  });
  const { stdout } = await run.catch((error: unknown) => error as { readonly stdout: string });
  expect(stdout).toContain(`${PROJECTS.length} passed, 0 failed`);
}, 300_000);
