import { describe, expect, it } from "vitest";
import { freshSdk, listenToConsole, recordingSdk, setEnvironment } from "../fresh-sdk.js";
import { OPTION_LIST, variableOf } from "../../src/config/options.js";
import { readConfig } from "../../src/config/read-config.js";
import { ingestionUrl } from "../../src/export/batch-request.js";

describe("spec 2.5: where a setting comes from", () => {
  it("an argument wins over the variable, the variable over the default", () => {
    const environment = { OBS_SERVICE: "from-env", OBS_ENV: "staging" };
    const { config } = readConfig({ service: "from-code" }, environment);
    expect(config).toMatchObject({ service: "from-code", env: "staging", batchSize: 100 });
  });

  it("the defaults are those of the table", () => {
    expect(readConfig({}, {}).config).toEqual({
      service: "unknown",
      env: "development",
      version: undefined,
      pushUrl: undefined,
      apiKey: undefined,
      batchSize: 100,
      flushInterval: 5,
      timeout: 5,
      maxRetries: 3,
      retryBackoff: 0.5,
      shutdownTimeout: 5,
      evaluationEnabled: false,
      evaluationTypes: undefined,
      evaluationSampleRate: undefined,
      capturePrompt: true,
      captureCompletion: true,
      capture: "full",
      mask: undefined,
      enableCostCalculation: false,
      pricingProfile: "default",
      pricingSource: undefined,
      pricingData: undefined,
      maxCostPerCallAlert: undefined,
      enableTtft: true,
      maxQueueSize: 10_000,
      maxQueueBytes: 33_554_432,
      live: false,
      tenant: undefined,
      debug: false,
    });
  });

  it.each([
    ["OBS_BATCH_SIZE", "7", { batchSize: 7 }],
    ["OBS_RETRY_BACKOFF", "0.25", { retryBackoff: 0.25 }],
    ["OBS_CAPTURE_PROMPT", "False", { capturePrompt: false }],
    ["OBS_EVALUATION_TYPES", "relevance, toxicity", { evaluationTypes: ["relevance", "toxicity"] }],
    ["OBS_CAPTURE", "metadata", { capture: "metadata" }],
    ["OBS_LIVE", "TRUE", { live: true }],
    ["OBS_SERVICE", "", { service: "unknown" }],
  ])("%s=%s is read", (name, text, expected) => {
    const { config, problems } = readConfig({}, { [name]: text });
    expect(problems).toEqual([]);
    expect(config).toMatchObject(expected);
  });

  it.each([
    [{ batchSize: 0 }, {}, "batchSize = 0 (argument) must be a whole number from 1 to 10,000"],
    [{ batchSize: 1.5 }, {}, "batchSize = 1.5 (argument) must be a whole number from 1 to 10,000"],
    [{}, { OBS_TIMEOUT: "5s" }, 'timeout = "5s" (OBS_TIMEOUT) must be a number from 0.01 to 2,147,483'],
    [{}, { OBS_LIVE: "yes" }, 'live = "yes" (OBS_LIVE) must be true or false'],
    [{ evaluationSampleRate: 2 }, {}, "evaluationSampleRate = 2 (argument) must be a number from 0 to 1"],
    [
      { pushUrl: "ftp://me:secret@host" },
      {},
      'pushUrl = "ftp://***@host" (argument) must be a URL that begins with http:// or https://',
    ],
    [
      {},
      { OBS_API_KEY: "sec\nret" },
      "apiKey = *** (OBS_API_KEY) must be a text of 1 to 1,024 printable ASCII characters",
    ],
    [{ capture: "some" as "full" }, {}, 'capture = "some" (argument) must be full or metadata'],
    [{ mask: 3 as never }, {}, "mask = 3 (argument) must be a function"],
    [{ evaluationTypes: [""] }, {}, "evaluationTypes = an array (argument) must be names of evaluations"],
    [{ service: null as never }, {}, "service = null (argument) must be a text of 1 to 256 characters"],
  ])("%j with %j names option, value, source and limit", (options, environment, problem) => {
    expect(readConfig(options, environment).problems).toEqual([expect.stringContaining(problem)]);
  });

  it("an unknown option is a warning that names the one that was meant", () => {
    expect(readConfig({ push_url: "http://x" } as never, {}).warnings).toEqual([
      'unknown option "push_url"; did you mean pushUrl?',
    ]);
  });

  it("each option has a variable of its own, except mask", () => {
    const variables = OPTION_LIST.map(([name]) => variableOf(name));
    expect(new Set(variables).size).toBe(variables.length);
    expect(OPTION_LIST.filter(([name]) => variableOf(name) === undefined).map(([name]) => name)).toEqual([
      "mask",
    ]);
    expect(variableOf("maxCostPerCallAlert")).toBe("OBS_MAX_COST_PER_CALL_ALERT");
  });
});

describe("spec 3.1: configured once", () => {
  it("a second call throws a RuntimeError that says so", async () => {
    const { configure, RuntimeError } = await recordingSdk();
    expect(() => configure()).toThrow(RuntimeError);
    expect(() => configure()).toThrow(/configure\(\) was already called/);
  });

  it("a bad value throws at once, all of them in one error, and configures nothing", async () => {
    const { configure } = await freshSdk();
    expect(() => configure({ batchSize: 0, timeout: -1 })).toThrow(/batchSize = 0 .*; timeout = -1 /);
    expect(() => configure()).not.toThrow();
  });

  it("settings cannot be changed afterwards", () => {
    const types = ["relevance"];
    const { config } = readConfig({ evaluationTypes: types }, {});
    types.push("toxicity");
    expect(config.evaluationTypes).toEqual(["relevance"]);
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.evaluationTypes)).toBe(true);
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

  it("where a variable is set, the first wrapped call configures from the environment, and configure() throws", async () => {
    setEnvironment({ OBS_SERVICE: "from-env" });
    const { task, configure, takeSpans } = await freshSdk();
    task("step", () => 1)();
    expect(takeSpans()).toHaveLength(1);
    expect(() => configure()).toThrow(/the first wrapped call has configured/);
  });

  it("a bad variable then warns, turns recording off, and the host goes on", async () => {
    setEnvironment({ OBS_BATCH_SIZE: "many" });
    const heard = listenToConsole();
    const { task, takeSpans, configure } = await freshSdk();
    expect(task("step", () => 1)()).toBe(1);
    expect(task("step", () => 2)()).toBe(2);
    expect(takeSpans()).toEqual([]);
    expect(heard.warnings).toEqual([expect.stringContaining('batchSize = "many" (OBS_BATCH_SIZE) must be')]);
    expect(() => configure()).toThrow(/already/);
  });

  it("a bad variable makes configure() throw, and name the variable", async () => {
    setEnvironment({ OBS_MAX_RETRIES: "-1" });
    const { configure } = await freshSdk();
    expect(() => configure()).toThrow(/maxRetries = "-1" \(OBS_MAX_RETRIES\)/);
  });
});

describe("pushUrl", () => {
  it.each([
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/telemetry"],
    ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/telemetry"],
    ["https://obs.example/collector", "https://obs.example/collector/v1/telemetry"],
    ["https://obs.example/v1/telemetry", "https://obs.example/v1/telemetry"],
    ["https://obs.example/v1/telemetry/", "https://obs.example/v1/telemetry"],
  ])("%s posts to %s", (pushUrl, expected) => {
    expect(ingestionUrl(pushUrl).href).toBe(expected);
  });
});
