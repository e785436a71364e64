import { createCollector, createLogger, loadConfig } from "@obspan/collector-core";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { expect, onTestFinished } from "vitest";
import { runAxe } from "./accessibility.js";
import { openPage, sharedBrowser } from "./browser.js";

const UI = fileURLToPath(new URL("../../collector-core/ui/", import.meta.url));

/** A collector with the built pages, open in Chromium. */
export interface ShownApp {
  readonly url: string;
  readonly page: Page;
  /** Posts spans of one service, each in its own trace: `[name, agent]`. */
  post(...runs: readonly (readonly [traceId: string, name: string, agent: string])[]): Promise<void>;
  /** Fails if axe finds a violation on the current page. */
  expectAccessible(): Promise<void>;
}

/** Presses two keys that belong together. Sent at once, because the app forgets the first one after a second. */
export async function pressSequence({ keyboard }: Page, first: string, second: string): Promise<void> {
  await Promise.all([keyboard.press(first), keyboard.press(second)]);
}

/** @param settings - environment variables of the collector. */
export async function showApp(
  path = "/traces",
  settings: Readonly<Record<string, string>> = {},
): Promise<ShownApp> {
  const env = { OBS_SERVER_PORT: "0", OBS_SERVER_HOST: "127.0.0.1", ...settings };
  const result = loadConfig({ env });
  if (result.type === "refused") throw new Error(result.problems.join("\n"));
  const logger = createLogger({ level: "ERROR", structured: true });
  const collector = await createCollector({
    loaded: result.loaded,
    logger,
    version: "0.0.0-test",
    uiDirectory: UI,
  });
  await collector.start();
  onTestFinished(async () => {
    await collector.stop();
  });
  const browser = await sharedBrowser();
  const { page } = await openPage(browser, collector.url + path, { reducedMotion: "reduce" });
  await page.getByRole("navigation", { name: "Main" }).waitFor();

  return {
    url: collector.url,
    page,
    async post(...runs) {
      const spans = runs.map(([trace_id, name, agent]) => ({
        name,
        trace_id,
        span_type: "agent",
        duration_ms: 1870,
        attributes: {
          agent,
          model: "gpt-5-mini",
          input_text: "Where is my order 48190?",
          output_text: "On its way.",
        },
      }));
      const response = await fetch(`${collector.url}/v1/telemetry`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ service: "shop", env: "production", spans }),
      });
      expect(response.status).toBe(202);
    },
    async expectAccessible() {
      const violations = await runAxe(page);
      expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
    },
  };
}
