import { describe, expect, it } from "vitest";
import { ingestionUrl } from "../../src/export/batch-request.js";

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
