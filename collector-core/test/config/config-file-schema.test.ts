import { expect, it } from "vitest";
import Schema from "typebox/schema";
import { configFileSchema } from "../../src/config/config-file-schema.js";
import { OPTION_LIST } from "../../src/config/options.js";
import { problems } from "./loading.js";

it("has every key of the YAML file, and none of the environment-only options", () => {
  const sections = configFileSchema()["properties"] as Record<string, { properties: object }>;
  const keys = Object.entries(sections).flatMap(([section, { properties }]) =>
    Object.keys(properties).map((leaf) => `${section}.${leaf}`),
  );
  expect(keys.toSorted()).toEqual(
    OPTION_LIST.filter(({ envOnly }) => !envOnly)
      .map(({ key }) => key)
      .toSorted(),
  );
});

it.each([
  {},
  { limits: null, server: { port: null } },
  { server: { host: "::1", port: 0, allowed_hosts: ["a.test:80"] }, sampling: { rate: 1 } },
  { limits: { max_traces: 500_001 } },
  { histograms: { duration_buckets: [0, 1] } },
  { histograms: { duration_buckets: Array.from({ length: 21 }, (_, index) => index + 1) } },
  { backpressure: { mode: "drop_newest" } },
  { server: { port: "8080" } },
  { server: { host: "http://a" } },
  { limits: 5 },
])("says of %j what the collector says", (content) => {
  const bySchema = Schema.Check(configFileSchema(), content);
  expect(bySchema).toBe(problems({ yaml: JSON.stringify(content) }).length === 0);
});
