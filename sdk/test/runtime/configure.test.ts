import { describe, expect, it, vi } from "vitest";
import { freshSdk, listenToConsole, recordingSdk, setEnvironment } from "../fresh-sdk.js";

describe("spec 3.1: configure() once", () => {
  it("a second call throws a RuntimeError", async () => {
    const { configure, RuntimeError } = await recordingSdk();
    expect(() => configure()).toThrow(RuntimeError);
    expect(() => configure()).toThrow(/configure\(\) was already called/);
  });

  it("all invalid values are reported in one error, and nothing is configured", async () => {
    const { configure } = await freshSdk();
    expect(() => configure({ batchSize: 0, timeout: -1 })).toThrow(/batchSize = 0 .*; timeout = -1 /);
    expect(() => configure()).not.toThrow();
  });

  it("without configure() and variables, calls run unrecorded and one warning says so", async () => {
    const heard = listenToConsole();
    const { llm, observe, stats, configure, takeSpans } = await freshSdk();
    const double = llm((value: number) => value * 2);
    expect([double(1), double(2), observe("block", (span) => span.traceId)]).toEqual([2, 4, ""]);
    expect(heard.warnings).toEqual([expect.stringContaining("configure() was not called")]);
    expect(stats().enqueued).toBe(0);

    configure();
    double(3);
    expect(takeSpans()).toHaveLength(1);
  });

  it("if a variable is set, the first wrapped call configures from the environment, and configure() throws", async () => {
    setEnvironment({ OBS_SERVICE: "from-env" });
    const { task, configure, takeSpans } = await freshSdk();
    task("step", () => 1)();
    expect(takeSpans()).toHaveLength(1);
    expect(() => configure()).toThrow(/the first wrapped call configured/);
  });

  it("an invalid variable then turns recording off with a warning, and the app continues", async () => {
    setEnvironment({ OBS_BATCH_SIZE: "many" });
    const heard = listenToConsole();
    const { task, takeSpans, configure } = await freshSdk();
    expect(task("step", () => 1)()).toBe(1);
    expect(task("step", () => 2)()).toBe(2);
    expect(takeSpans()).toEqual([]);
    expect(heard.warnings).toEqual([expect.stringContaining('batchSize = "many" (OBS_BATCH_SIZE) must be')]);
    expect(() => configure()).toThrow(/already/);
  });

  it("configure() throws on an invalid variable, and names it", async () => {
    setEnvironment({ OBS_MAX_RETRIES: "-1" });
    const { configure } = await freshSdk();
    expect(() => configure()).toThrow(/maxRetries = "-1" \(OBS_MAX_RETRIES\)/);
  });
});

describe("configureOnce()", () => {
  const options = {
    service: "shop",
    batchSize: 5,
    mask: (text: string) => text,
    evaluationTypes: ["relevance"],
  };

  it("configures the first time, and does nothing when it is called again with equal options", async () => {
    const heard = listenToConsole();
    const { configureOnce, isConfigured, task, takeSpans } = await freshSdk();
    expect(isConfigured()).toBe(false);
    configureOnce(options);
    expect(isConfigured()).toBe(true);
    configureOnce({ ...options, mask: (text: string) => text });
    await vi.dynamicImportSettled();
    task("step", () => 1)();
    expect([takeSpans().length, heard.warnings]).toEqual([1, []]);
  });

  it("keeps the first options, and warns which options differ, without their values", async () => {
    const heard = listenToConsole();
    const { configureOnce, configure } = await recordingSdk(options);
    configureOnce({ ...options, service: "other", apiKey: "secret-key" });
    await vi.dynamicImportSettled();
    expect(heard.warnings).toEqual([expect.stringContaining("which stay: service, apiKey differ now")]);
    expect(() => configure()).toThrow(/already/);
  });

  it("throws when a value of the first call is not allowed", async () => {
    const { configureOnce, isConfigured } = await freshSdk();
    expect(() => configureOnce({ batchSize: 0 })).toThrow(/batchSize = 0/);
    expect(isConfigured()).toBe(false);
  });

  it("isConfigured() is true after the environment has configured the SDK", async () => {
    setEnvironment({ OBS_SERVICE: "from-env" });
    const { task, isConfigured } = await freshSdk();
    task("step", () => 1)();
    expect(isConfigured()).toBe(true);
  });
});
