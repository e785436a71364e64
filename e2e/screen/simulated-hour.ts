import { fileURLToPath } from "node:url";
import { createCollector, createLogger, loadConfig } from "@obspan/collector-core";
import { onTestFinished } from "vitest";

/** The build directory of the app. */
const UI_DIRECTORY = fileURLToPath(new URL("../../collector-core/ui/", import.meta.url));
const HOUR_SECONDS = 3600;
const STEP_SECONDS = 10;

const MODELS = [
  { model: "claude-sonnet-5", provider: "anthropic", calls: 3, ms: 2300, ttft: 520, out: 260, usd: 0.0065 },
  { model: "gpt-5-mini", provider: "openai", calls: 2, ms: 1500, ttft: 300, out: 250, usd: 0.0011 },
  { model: "gemini-3-flash", provider: "google", calls: 2, ms: 900, ttft: 240, out: 210, usd: 0.0008 },
] as const;
const AGENTS = ["support-agent", "refunds-agent", "research-agent", "mail-agent"] as const;
const TOOLS = [
  ["get_order", 300, 0],
  ["get_shipping_status", 2600, 0.09],
  ["search_help_center", 700, 0],
  ["warehouse.query", 9000, 0.05],
  ["create_refund", 1200, 0.01],
] as const;

/** A collector in this process that has received an hour of spans of a support team within seconds. */
export async function collectorAfterAnHour(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ url: string }> {
  let behindMs = HOUR_SECONDS * 1000;
  const loaded = loadConfig({
    env: { OBS_SERVER_PORT: "0", OBS_SERVER_HOST: "127.0.0.1", ...settings },
  });
  if (loaded.type === "refused") throw new Error(loaded.problems.join("\n"));
  const collector = await createCollector({
    loaded: loaded.loaded,
    logger: createLogger({ level: "CRITICAL", structured: false }),
    version: "0.1.0",
    uiDirectory: UI_DIRECTORY,
    clock: { now: () => Date.now() - behindMs, monotonic: () => performance.now() - behindMs },
  });
  await collector.start();
  onTestFinished(async () => {
    await collector.stop();
  });
  const random = randomFrom(7);
  for (let second = 0; second < HOUR_SECONDS; second += STEP_SECONDS) {
    behindMs = (HOUR_SECONDS - second) * 1000;
    await post(collector.url, {
      service: "support",
      env: "production",
      version: "2.14.0",
      spans: spansOf(second, random),
    });
    while (collector.ledger().queued + collector.ledger().inFlight > 0) await new Promise(setImmediate);
    if (second % 170 === 0)
      await post(collector.url, { service: "shop-batch", spans: [{ name: "no trace id" }] });
    // The counter history is updated once a second, and by every query.
    await fetch(`${collector.url}/v1/stats?window=10s`);
  }
  behindMs = 0;
  return { url: collector.url };
}

async function post(url: string, batch: unknown): Promise<void> {
  await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(batch),
  });
}

/** Ten seconds of the hour: calm, except for a bad quarter of an hour after two thirds. */
function spansOf(second: number, random: () => number): unknown[] {
  const trouble = Math.exp(-(((second - 2400) / 240) ** 2));
  const wave = 1 + 0.25 * Math.sin(second / 500) + trouble * 0.8;
  const trace_id = `sim-${second}`;
  const around = (value: number, by = 0.35) => value * (1 - by + 2 * by * random());
  const spans: unknown[] = [];
  for (const [index, { model, provider, calls, ms, ttft, out, usd }] of MODELS.entries()) {
    const count = Math.round(calls * wave * (0.6 + 0.8 * random()));
    for (let call = 0; call < count; call++) {
      const isFailed = random() < 0.006 + trouble * 0.14;
      const input = Math.round(around(3800));
      spans.push({
        name: `chat ${model}`,
        span_type: "llm",
        trace_id,
        duration_ms: around(ms, 0.7) * (1 + trouble * 2.5) * (random() < 0.05 ? 4 : 1),
        status: isFailed ? "ERROR" : "OK",
        attributes: {
          model,
          provider,
          agent: AGENTS[(index + call) % AGENTS.length],
          ttft_ms: around(ttft) * (1 + trouble),
          tokens_input: input,
          tokens_cached: Math.round(input * 0.54),
          ...(isFailed
            ? { error_type: ["timeout", "timeout", "rate_limit", "overloaded"][call % 4] }
            : { tokens_output: Math.round(around(out)), cost_usd: around(usd) }),
        },
      });
    }
  }
  for (const [tool_name, ms, failing] of TOOLS) {
    if (random() > 0.75) continue;
    const status = random() < failing ? "ERROR" : "OK";
    spans.push({
      name: tool_name,
      span_type: "tool",
      trace_id,
      duration_ms: around(ms),
      status,
      attributes: { tool_name },
    });
  }
  return spans;
}

/** The same numbers in every run, so that pictures can be compared. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
