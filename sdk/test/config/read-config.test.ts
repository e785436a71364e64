import { describe, expect, it } from "vitest";
import { listenToConsole, recordingSdk } from "../fresh-sdk.js";
import { readConfig } from "../../src/config/read-config.js";

describe("spec 2.5: the source of a setting", () => {
  it("an argument wins over the variable, the variable over the default", () => {
    const environment = { OBS_SERVICE: "from-env", OBS_ENV: "staging" };
    const { config } = readConfig({ service: "from-code" }, environment);
    expect(config).toMatchObject({ service: "from-code", env: "staging", batchSize: 100 });
  });

  it("the defaults are those of the specification", () => {
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
      headers: undefined,
      sampleRate: 1,
      captureSource: false,
      beforeSend: undefined,
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
  ])("%s=%s is parsed", (name, text, expected) => {
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
  ])("the error for %j with %j names option, value, source and limit", (options, environment, problem) => {
    expect(readConfig(options, environment).problems).toEqual([expect.stringContaining(problem)]);
  });

  it("an unknown option is reported in a warning that names the similar option", async () => {
    const heard = listenToConsole();
    await recordingSdk({ push_url: "http://x" } as never);
    expect(heard.warnings).toEqual([
      '[obspan] configure(): unknown option "push_url"; did you mean pushUrl?',
    ]);
  });

  it("headers come as name=value from the variable, and no message contains them", () => {
    const read = (headers: string) => readConfig({}, { OBS_HEADERS: headers });
    expect(read("X-Gateway=a=b , X-Zone = eu").config.headers).toEqual({
      "X-Gateway": "a=b",
      "X-Zone": "eu",
    });
    for (const invalid of [
      "secret",
      "X-A=",
      "Host=secret",
      "Content-Length=3",
      "X A=secret",
      "X-A=b\nsecret",
    ])
      expect(read(invalid).problems).toEqual([
        "headers = *** (OBS_HEADERS) must be headers, in a variable name=value separated by commas",
      ]);
  });

  it("the settings are frozen", () => {
    const types = ["relevance"];
    const { config } = readConfig({ evaluationTypes: types }, {});
    types.push("toxicity");
    expect(config.evaluationTypes).toEqual(["relevance"]);
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.evaluationTypes)).toBe(true);
  });
});
