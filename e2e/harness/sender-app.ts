import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram, type CommandResult } from "./shell.js";

const SENDERS = fileURLToPath(new URL("../senders/", import.meta.url));
/** Ignored by git. An installation is reused while its lockfile is unchanged. */
const INSTALLED = fileURLToPath(new URL("../../.cache/senders/", import.meta.url));
const INSTALL_WITHIN_MS = 240_000;

/** Registry and proxy settings of the environment. */
const NETWORK = ["npm_config_registry", "HTTPS_PROXY", "https_proxy", "NODE_EXTRA_CA_CERTS"];

/** The collector address in the guide's programs. */
const GUIDE_ADDRESS = "http://localhost:8080";

/** Installs a library in its own folder. @returns the folder. */
export async function installSender(name: string): Promise<string> {
  const folder = join(INSTALLED, name);
  const lock = join(SENDERS, name, "package-lock.json");
  const installed = join(folder, "installed-lock.json");
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"])
    copyFileSync(join(SENDERS, name, file), join(folder, file));
  const args = ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  const { code, stderr } = await runProgram("npm", args, {
    cwd: folder,
    env: networkEnvironment(),
    timeoutMs: INSTALL_WITHIN_MS,
  });
  if (code !== 0) throw new Error(`npm ${args.join(" ")} of ${name} ended with ${code}:\n${stderr}`);
  copyFileSync(lock, installed);
  return folder;
}

function networkEnvironment(): Record<string, string> {
  return Object.fromEntries(
    NETWORK.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Runs a program of the guide in such a folder, with this collector and this model server. */
export function runSender(
  folder: string,
  program: string,
  { collectorUrl, modelUrl }: { collectorUrl: string; modelUrl: string },
): Promise<CommandResult> {
  writeFileSync(join(folder, "app.mjs"), program.replaceAll(GUIDE_ADDRESS, collectorUrl));
  return runProgram(process.execPath, ["app.mjs"], {
    cwd: folder,
    env: { OPENAI_API_KEY: "test-key", OPENAI_BASE_URL: `${modelUrl}/v1` },
    timeoutMs: 45_000,
  });
}
