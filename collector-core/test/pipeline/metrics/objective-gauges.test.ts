import { describe, expect, it } from "vitest";
import { load, problems } from "../../config/loading.js";
import { span, startCollector, type RunningCollector } from "../../running-collector.js";

async function gauges({ url }: RunningCollector): Promise<string[]> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split("\n");
  return lines.filter((line) => /^obs_(slo_error_rate|cost_budget_usd)\{/.test(line)).toSorted();
}

const AGENTS = JSON.stringify({ support: { slo_error_rate: 0.05 }, sales: { cost_budget_usd: 12.5 } });

describe("spec 2.6 sre", () => {
  it("spec 4.7: exposes both gauges of configured agents from the start, with defaults for absent values", async () => {
    const collector = await startCollector({
      SRE_ENABLED: "true",
      SRE_AGENTS_JSON: AGENTS,
      SRE_DEFAULT_COST_BUDGET_USD: "100",
    });
    expect(await gauges(collector)).toEqual([
      'obs_cost_budget_usd{agent="sales"} 12.5',
      'obs_cost_budget_usd{agent="support"} 100',
      'obs_slo_error_rate{agent="sales"} 0.01',
      'obs_slo_error_rate{agent="support"} 0.05',
    ]);
  });

  it("contract 4: exposes the defaults for any other agent from its first span on, up to the cap", async () => {
    const collector = await startCollector({ SRE_ENABLED: "true", LIMITS_CARDINALITY_AGENT: "1" });
    expect(await gauges(collector)).toEqual([]);
    for (const agent of ["first", "second"])
      await collector.post({ spans: [span({ attributes: { agent } })] });
    await collector.post({ spans: [span()] });
    await collector.settled();
    expect(await gauges(collector)).toEqual([
      'obs_cost_budget_usd{agent="first"} 0',
      'obs_slo_error_rate{agent="first"} 0.01',
    ]);
  });

  it("exposes no gauge when sre is off", async () => {
    const collector = await startCollector({ SRE_AGENTS_JSON: AGENTS });
    expect(await gauges(collector)).toEqual([]);
  });

  it("spec 2.6: reads agents from the YAML file too", () => {
    const yaml = "sre:\n  agents:\n    support:\n      slo_error_rate: 0.2\n    sales: {}\n";
    expect(load({ yaml }).config["sre.agents"]).toEqual({ support: { slo_error_rate: 0.2 }, sales: {} });
  });

  it.each([
    [1, true],
    [0.000001, true],
    [0, false],
    [1.01, false],
    [-0.1, false],
  ])("spec 8 rule 16: a per-agent slo_error_rate of %d is taken: %s", (rate, isTaken) => {
    const env = { OBS_SERVER_SRE_AGENTS_JSON: JSON.stringify({ support: { slo_error_rate: rate } }) };
    const found = problems({ env });
    if (isTaken) expect(found).toEqual([]);
    else
      expect(found).toEqual([
        expect.stringMatching(
          /^sre\.agents = .+ \(OBS_SERVER_SRE_AGENTS_JSON\): must be .+; agent "support": slo_error_rate must be a number above 0, at most 1$/,
        ),
      ]);
  });

  it.each([
    ["not JSON", "{"],
    ["a list", "[]"],
    ["an agent that is a number", '{"a":1}'],
    ["a key that is none", '{"a":{"slo":0.1}}'],
    ["a negative budget", '{"a":{"cost_budget_usd":-1}}'],
    ["a rate in quotes", '{"a":{"slo_error_rate":"0.1"}}'],
  ])("refuses %s", (_what, json) => {
    expect(problems({ env: { OBS_SERVER_SRE_AGENTS_JSON: json } })).toHaveLength(1);
  });
});
