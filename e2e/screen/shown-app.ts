import type { Page } from "playwright";
import { expect } from "vitest";
import type { Settings } from "../harness/built-collector.js";
import { collectorHere, type CollectorHere } from "../harness/collector-here.js";
import { COLOURS, expectNoViolation } from "./accessibility.js";
import { openPage, sharedBrowser } from "./browser.js";

/** A collector with the built pages, open in Chromium. */
export interface ShownApp {
  readonly url: string;
  readonly page: Page;
  /** Posts spans of one service, each in its own trace: `[name, agent]`. */
  post(...runs: readonly (readonly [traceId: string, name: string, agent: string])[]): Promise<void>;
  /**
   * Fails if axe finds a violation on the current page.
   *
   * @param parts - selectors of the parts that have changed since the page was checked. Default: the whole page.
   */
  expectAccessible(...parts: readonly string[]): Promise<void>;
  /** {@link expectAccessible} for a page that was checked in the other theme: only the rules that read colours. */
  expectReadable(): Promise<void>;
}

/** Presses two keys that belong together. Sent at once, because the app forgets the first one after a second. */
export async function pressSequence({ keyboard }: Page, first: string, second: string): Promise<void> {
  await Promise.all([keyboard.press(first), keyboard.press(second)]);
}

interface Shown {
  readonly settings?: Settings;
  /** Called before the page opens: posts what it shows. */
  readonly before?: (collector: CollectorHere) => Promise<unknown>;
}

export async function showApp(path = "/traces", { settings, before }: Shown = {}): Promise<ShownApp> {
  const collector = await collectorHere(settings);
  await before?.(collector);
  const browser = await sharedBrowser();
  const { page } = await openPage(browser, collector.url + path);
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
    expectAccessible: (...parts) => expectNoViolation(page, parts.length === 0 ? {} : { parts }),
    expectReadable: () => expectNoViolation(page, { only: COLOURS }),
  };
}
