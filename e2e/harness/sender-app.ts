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

/** Installations under way or done, by their folder: most libraries share one. */
const installations = new Map<string, Promise<void>>();

/** Installs a library, with those that share its lockfile. @returns its folder. */
export async function installSender(name: string): Promise<string> {
  const hasOwnLock = existsSync(join(SENDERS, name, "package-lock.json"));
  const folder = hasOwnLock ? name : "shared";
  let installation = installations.get(folder);
  if (installation === undefined) {
    installation = install(join(SENDERS, hasOwnLock ? name : ""), join(INSTALLED, folder));
    installations.set(folder, installation);
  }
  await installation;
  return join(INSTALLED, folder, hasOwnLock ? "" : name);
}

async function install(source: string, folder: string): Promise<void> {
  const lock = readFileSync(join(source, "package-lock.json"));
  const installed = join(folder, "installed-lock.json");
  if (existsSync(installed) && readFileSync(installed).equals(lock)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package-lock.json"), lock);
  const { workspaces = [] } = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as {
    readonly workspaces?: readonly string[];
  };
  for (const each of ["", ...workspaces]) {
    mkdirSync(join(folder, each), { recursive: true });
    copyFileSync(join(source, each, "package.json"), join(folder, each, "package.json"));
  }
  const args = ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  const { code, stderr } = await runProgram("npm", args, {
    cwd: folder,
    env: networkEnvironment(),
    timeoutMs: INSTALL_WITHIN_MS,
  });
  if (code !== 0) throw new Error(`npm ${args.join(" ")} in ${folder} ended with ${code}:\n${stderr}`);
  writeFileSync(installed, lock);
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
