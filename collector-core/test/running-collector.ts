import { afterAll, onTestFinished } from "vitest";
import { createCollector, type Collector, type CollectorOptions } from "../src/collector.js";
import { loadConfig } from "../src/config/load-config.js";
import type { Logger } from "../src/logging/logger.js";
import { createStorageEngine } from "../src/store/sqlite/engine/create-storage-engine.js";
import { inlineThread } from "./store/sqlite/inline-thread.js";

/** A line that the collector logged. */
export interface LoggedLine {
  readonly level: string;
  readonly logger: string;
  readonly message: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** A logger that keeps what it is told. */
export function recordingLogger(lines: LoggedLine[], name = "obspan"): Logger {
  const at =
    (level: string) =>
    (message: string, context: Readonly<Record<string, unknown>> = {}): void =>
      void lines.push({ level, logger: name, message, context });
  return {
    debug: at("DEBUG"),
    info: at("INFO"),
    warning: at("WARNING"),
    error: at("ERROR"),
    critical: at("CRITICAL"),
    child: (child) => recordingLogger(lines, child),
    fileErrors: 0,
    flush: () => undefined,
    close: () => undefined,
  };
}

/** A collector on a free port, with what a test asks of it. */
export interface RunningCollector {
  readonly collector: Collector;
  readonly url: string;
  readonly lines: LoggedLine[];
  /** Posts a value as JSON to /v1/telemetry. */
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Gets a path and parses its JSON. */
  get<T = Record<string, unknown>>(path: string): Promise<T>;
  /** Resolves when every accepted span has been processed. */
  settled(): Promise<void>;
  /** The value of a sample in /metrics, 0 where there is none. */
  metric(sample: string): Promise<number>;
}

type TestOptions = Partial<Pick<CollectorOptions, "clock" | "uiDirectory" | "startStorageThread">>;

/**
 * Starts a collector with the given environment (`LIMITS_MAX_TRACES: "5"` for `OBS_SERVER_LIMITS_MAX_TRACES`), and
 * stops it when the test is over.
 */
export async function startCollector(
  settings: Record<string, string> = {},
  options: TestOptions = {},
): Promise<RunningCollector> {
  const running = await launch(settings, options);
  onTestFinished(async () => {
    await running.collector.stop();
  });
  return running;
}

/**
 * One collector for all tests of the surrounding `describe`, which leave nothing that another would notice. It starts with the
 * first of them.
 */
export function sharedCollector(
  settings: Record<string, string> = {},
  options: TestOptions = {},
): () => Promise<RunningCollector> {
  let running: Promise<RunningCollector> | undefined;
  afterAll(async () => {
    await (await running)?.collector.stop();
  });
  return () => (running ??= launch(settings, options));
}

async function launch(settings: Record<string, string>, options: TestOptions): Promise<RunningCollector> {
  const env = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [`OBS_SERVER_${key}`, value]),
  );
  const result = loadConfig({ env: { OBS_SERVER_PORT: "0", OBS_SERVER_HOST: "127.0.0.1", ...env } });
  if (result.type === "refused") throw new Error(result.problems.join("\n"));
  const lines: LoggedLine[] = [];
  const collector = await createCollector({
    loaded: result.loaded,
    logger: recordingLogger(lines),
    version: "0.0.0-test",
    // A worker starts from the compiled package only.
    startStorageThread: (thread) => inlineThread((host) => createStorageEngine(thread, host)),
    ...options,
  });
  await collector.start();
  const { url } = collector;
  return {
    collector,
    url,
    lines,
    post: (body, headers = {}) =>
      fetch(`${url}/v1/telemetry`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    get: async <T>(path: string) => (await (await fetch(url + path)).json()) as T,
    async settled() {
      for (;;) {
        const { queued, inFlight } = collector.ledger();
        if (queued === 0 && inFlight === 0) return;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async metric(sample) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const line = text.split("\n").find((each) => each.startsWith(`${sample} `));
      return line === undefined ? 0 : Number(line.slice(sample.length + 1));
    },
  };
}

/** The body of an error. */
export interface ErrorAnswer {
  readonly error: { code: string; message: string; details: Record<string, unknown> };
}

/** The status and the error of an answer. */
export async function errorOf(response: Response): Promise<{ status: number } & ErrorAnswer["error"]> {
  const body = (await response.json()) as ErrorAnswer;
  return { status: response.status, ...body.error };
}

/** A span with the least that it needs, and whatever else is given. */
export function span(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: "chat", trace_id: "t1", duration_ms: 5, ...fields };
}
