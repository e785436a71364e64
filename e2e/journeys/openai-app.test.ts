import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { recordedExchange } from "../../sdk/test/replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../../sdk/test/replay/replay-server.js";
import { freePort } from "../../collector-core/test/free-port.js";
import { collectorForTest } from "../harness/built-collector.js";
import { collectorHere } from "../harness/collector-here.js";
import { expectToAddUp, ledgerAtRest, sum } from "../harness/ledger.js";
import {
  installPackedSdk,
  packedSdkAppForTest,
  type PackedSdkApp,
  type SdkStats,
} from "../harness/packed-sdk-app.js";
import { scrape } from "../harness/scrape.js";
import { runProgram } from "../harness/shell.js";
import { until } from "../harness/until.js";
import { sharedBrowser, openPage } from "../screen/browser.js";

/** The clipboard of a page. */
interface Clipboard {
  readText(): Promise<string>;
}

/** Spans of one run: the agent, two model calls, one tool call. */
const SPANS_A_RUN = 4;

let browser: Browser;
let folder: string;
let provider: ReplayServer;
beforeAll(async () => {
  [browser, folder, provider] = await Promise.all([sharedBrowser(), installPackedSdk(), startReplayServer()]);
});
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  provider.reset();
  provider.always(recordedExchange("openai-chat-stream-toolloop-1"));
  provider.always(recordedExchange("openai-chat-stream-toolloop-2"));
});

const appFor = (
  collector: { readonly url: string },
  env: Record<string, string> = {},
): Promise<PackedSdkApp> =>
  packedSdkAppForTest(folder, {
    OBS_SERVICE: "maths",
    OBS_PUSH_URL: collector.url,
    OPENAI_BASE_URL: `${provider.url}/v1`,
    ...env,
  });

function expectStatsToAddUp(stats: SdkStats): void {
  expect({ ...stats, sum: stats.acked + sum(stats.dropped) + stats.pending }).toMatchObject({
    sum: stats.enqueued,
  });
}

it("the snippet of the first-run page works in an app, whose call appears on that page", async () => {
  const collector = await collectorHere({ AUTH_API_KEYS: "a-key" });
  const { page } = await openPage(browser, collector.url, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.getByLabel(/API key of/).fill("a-key");
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "Obspan SDK" }).click();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const pasted = await page.evaluate(() =>
    (globalThis as unknown as { navigator: { clipboard: Clipboard } }).navigator.clipboard.readText(),
  );
  const exchange = recordedExchange("openai-chat-basic");
  provider.always(exchange);
  const call = `await openai.chat.completions.create(${JSON.stringify(exchange.request.body)});`;
  writeFileSync(join(folder, "pasted.mjs"), `${pasted}\n${call}\n`);

  const { code, stderr } = await runProgram(process.execPath, ["pasted.mjs"], {
    cwd: folder,
    env: { OPENAI_API_KEY: "test-key", OPENAI_BASE_URL: `${provider.url}/v1`, OBS_API_KEY: "a-key" },
  });
  expect([code, stderr]).toEqual([0, ""]);
  await page.getByRole("row").filter({ hasText: "chat gpt" }).waitFor();
});

it("the calls of an app appear on the screen and in the metrics", async () => {
  const collector = await collectorHere();
  const { page, complaints } = await openPage(browser, collector.url);
  await page.getByRole("heading", { name: /Listening on/ }).waitFor();
  const app = await appFor(collector, { OBS_FLUSH_INTERVAL: "1" });

  const { answer, traceId } = await app.ask();
  expect(answer).toContain("60");
  const row = page.getByRole("row").filter({ hasText: "maths-agent" });
  await row.waitFor();
  await row.click();
  await page.waitForURL(new RegExp(`/traces/${traceId}`));
  await page.getByRole("feed", { name: "Transcript" }).getByText("is 60.").first().waitFor();
  await page.keyboard.press("2");
  const spans = page.getByRole("treegrid", { name: "Spans" });
  const calls = spans.getByRole("row").filter({ hasText: "chat gpt-3.5-turbo" });
  await calls.nth(1).waitFor();
  await spans.getByText("calculator").first().waitFor();
  await calls.nth(1).click();
  await page.getByRole("tabpanel").getByText("is 60.").waitFor();
  expect(complaints).toEqual([]);

  const metrics = await scrape(collector.url);
  const ofModel = { service: "maths", model: "gpt-3.5-turbo-0125", provider: "openai", agent: "maths-agent" };
  expect(metrics.value("obs_llm_calls_total", { ...ofModel, status: "OK" })).toBe(2);
  expect(metrics.value("obs_tokens_input_sum", ofModel)).toBe(91 + 120);
  expect(metrics.value("obs_tokens_output_sum", ofModel)).toBe(21 + 19);
  expect(metrics.value("obs_ttft_seconds_count", ofModel)).toBe(2);
  expect(metrics.value("obs_tool_calls_total", { tool_name: "calculator", agent: "maths-agent" })).toBe(1);
  expect(await app.stats()).toMatchObject({ enqueued: SPANS_A_RUN, acked: SPANS_A_RUN, pending: 0 });
});

it("spec 4.10 rule 2: a restarted collector receives the spans that the app recorded meanwhile", async () => {
  const port = String(await freePort());
  const before = await collectorForTest({ PORT: port });
  // It retries until the collector has started, which takes seconds on a busy machine.
  const app = await appFor(before, { OBS_MAX_RETRIES: "100", OBS_RETRY_BACKOFF: "0.2" });
  await app.ask();
  await app.flush();
  expect(await ledgerAtRest(before.url)).toMatchObject({ received: SPANS_A_RUN });
  const { page } = await openPage(browser, `${before.url}/traces`);
  await page.getByText("maths-agent").first().waitFor();

  await before.stop("SIGKILL");
  await page
    .getByText(/does not answer/)
    .first()
    .waitFor();
  for (let run = 0; run < 3; run++) expect((await app.ask()).answer).toContain("60");
  const flushed = app.flush();
  expect(await app.stats()).toMatchObject({ enqueued: 4 * SPANS_A_RUN, pending: 3 * SPANS_A_RUN });

  const after = await collectorForTest({ PORT: port });
  await flushed;
  const stats = await until("all spans are processed", async () => {
    const now = await app.flush();
    return now.pending === 0 ? now : undefined;
  });
  expectStatsToAddUp(stats);
  const ledger = await ledgerAtRest(after.url);
  expectToAddUp(ledger);
  expect(SPANS_A_RUN + ledger.received).toBe(stats.acked);
  expect(stats).toMatchObject({ enqueued: 4 * SPANS_A_RUN, acked: 4 * SPANS_A_RUN });
  // The page has reconnected to the collector.
  await page.getByRole("row").filter({ hasText: "maths-agent" }).nth(2).waitFor();
  expect(app.hasExited()).toBe(false);
});

it("a restart under load loses only the spans that stats() counts", async () => {
  const port = String(await freePort());
  const before = await collectorForTest({ PORT: port });
  const app = await appFor(before, { OBS_BATCH_SIZE: "10", OBS_FLUSH_INTERVAL: "1" });
  const load = { isOver: false };
  const asking = (async () => {
    let runs = 0;
    while (!load.isOver) runs += Number((await app.ask()).answer.includes("60"));
    return runs;
  })();
  await until("spans arrive", async () => ((await app.stats()).acked > 40 ? true : undefined));

  await before.stop("SIGTERM");
  const received = before.lastLedger();
  const after = await collectorForTest({ PORT: port });
  await until("spans arrive again", async () => {
    return (await ledgerAtRest(after.url)).received > 40 ? true : undefined;
  });
  load.isOver = true;
  const runs = await asking;
  const stats = await until("all spans are processed", async () => {
    const now = await app.flush();
    return now.pending === 0 ? now : undefined;
  });

  expectStatsToAddUp(stats);
  expect(stats.enqueued).toBe(runs * SPANS_A_RUN);
  const ledger = await ledgerAtRest(after.url);
  expect(received.accepted + ledger.accepted).toBe(stats.acked);
  expect(received.processed + ledger.processed).toBe(stats.acked);
});
