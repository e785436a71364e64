import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { killProgram } from "./built-collector.js";
import { startProgram, type ChildProgram } from "./child-program.js";
import { runProgram } from "./shell.js";
import { until } from "./until.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const APP = fileURLToPath(new URL("calculator-app.mjs", import.meta.url));

/** The counts of `stats()` of the SDK. */
export interface SdkStats {
  readonly enqueued: number;
  readonly acked: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly pending: number;
}

/** The app of calculator-app.mjs, in its own process and folder. */
export interface PackedSdkApp extends ChildProgram {
  /** Runs the agent once. */
  ask(): Promise<{ readonly answer: string; readonly traceId: string }>;
  /** Calls `flush()` of the SDK. */
  flush(): Promise<SdkStats>;
  stats(): Promise<SdkStats>;
}

/**
 * Installs the SDK from its tarball into a folder with the OpenAI client. It runs offline, so it fails if the SDK has a
 * dependency.
 *
 * @returns the folder; the caller removes it.
 */
export async function installPackedSdk(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "obspan-app-"));
  try {
    const pack = await npm(["pack", "--json", "--pack-destination", folder], join(ROOT, "sdk"));
    const [{ filename }] = JSON.parse(pack) as [{ filename: string }];
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ name: "app", private: true, type: "module" }),
    );
    await npm(["install", join(folder, filename), "--offline", "--no-audit", "--no-fund"], folder);
    symlinkSync(join(ROOT, "node_modules/openai"), join(folder, "node_modules/openai"), "dir");
    copyFileSync(APP, join(folder, "app.mjs"));
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Starts the app for one test, stopped at its end. */
export async function packedSdkAppForTest(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<PackedSdkApp> {
  const program = startProgram(process.execPath, [join(folder, "app.mjs")], {
    OPENAI_API_KEY: "test-key",
    ...env,
  });
  onTestFinished(() => killProgram(program));
  const url = await until("the app listens", () => {
    if (program.hasExited()) throw new Error(program.stderr.join("\n"));
    return /App on (\S+)/.exec(program.stdout())?.[1];
  });
  const call = async <T>(method: string, path: string): Promise<T> => {
    const response = await fetch(url + path, { method });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as T;
  };
  return {
    ...program,
    ask: () => call("POST", "/ask"),
    flush: () => call("POST", "/flush"),
    stats: () => call("GET", "/stats"),
  };
}

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram("npm", args, { cwd });
  if (code !== 0) throw new Error(`npm ${args.join(" ")} ended with ${code}:\n${stderr}`);
  return stdout;
}
