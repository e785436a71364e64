import { onTestFinished, vi } from "vitest";
import type * as sdk from "../src/index.js";

export type Sdk = typeof sdk;

/**
 * The SDK as in a new process: not configured, without warnings so far. When the test ends it is shut down, and the next file of
 * the process gets another.
 */
export async function freshSdk(): Promise<Sdk> {
  forgetSdk();
  const fresh = await import("../src/index.js");
  onTestFinished(async () => {
    await fresh.shutdown();
    forgetSdk();
  });
  return fresh;
}

function forgetSdk(): void {
  Reflect.deleteProperty(globalThis, Symbol.for("obspan.sdk.v0"));
  vi.resetModules();
}

/** A fresh SDK that keeps its spans for `takeSpans()`. */
export async function recordingSdk(options: Parameters<Sdk["configure"]>[0] = {}): Promise<Sdk> {
  const fresh = await freshSdk();
  fresh.configure(options);
  const { loadLateCode } = await import("../src/late-code.js");
  await loadLateCode();
  return fresh;
}

/** Collects what the SDK logs to the console, instead of printing it. */
export function listenToConsole(): { warnings: string[]; infos: string[] } {
  const heard = { warnings: [] as string[], infos: [] as string[] };
  const warn = vi.spyOn(console, "warn").mockImplementation((text: string) => void heard.warnings.push(text));
  const info = vi.spyOn(console, "info").mockImplementation((text: string) => void heard.infos.push(text));
  onTestFinished(() => {
    warn.mockRestore();
    info.mockRestore();
  });
  return heard;
}

/** Sets variables of the environment until the test ends. */
export function setEnvironment(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}
