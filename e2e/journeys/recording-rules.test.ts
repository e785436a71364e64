import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { describe, expect, it, onTestFinished } from "vitest";
import { METRIC_FAMILIES } from "@obspan/collector-core/api-schema";
import { killProgram, startBuiltCollector } from "../harness/built-collector.js";
import { batchOf } from "../harness/http-client.js";
import { startPrometheus } from "../harness/prometheus.js";
import { runProgram } from "../harness/shell.js";
import { until } from "../harness/until.js";

const directory = fileURLToPath(new URL("../../collector-core/prometheus/", import.meta.url));
const rules = join(directory, "obspan-rules.yml");
const alerts = join(directory, "obspan-alerts.yml");
const dashboard = fileURLToPath(
  new URL("../../collector-core/grafana/obspan-dashboard.json", import.meta.url),
);

interface RuleFile {
  readonly groups: readonly {
    readonly name: string;
    readonly interval?: string;
    readonly rules: readonly { readonly record?: string; readonly expr: string }[];
  }[];
}
const { groups } = parse(readFileSync(rules, "utf8")) as RuleFile;
const recorded = new Set(groups.flatMap((group) => group.rules.map(({ record = "" }) => record)));

/** A copy of a rule file with an evaluation interval of a second instead of 15 s, for one test. */
function evaluatedEachSecond(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), "obspan-rules-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const copy = join(folder, basename(file));
  writeFileSync(copy, readFileSync(file, "utf8").replaceAll(/^( +interval:) \S+$/gm, "$1 1s"));
  return copy;
}

describe("spec 4.8: the recording rules", () => {
  it("are in three groups, evaluated every 15 s, and named obs:", () => {
    expect(groups.map(({ name, interval }) => [name, interval])).toEqual([
      ["obs_sre_weekly", "15s"],
      ["obs_sre_monthly", "15s"],
      ["obs_sre_burn_rates", "15s"],
    ]);
    for (const name of recorded) expect(name).toMatch(/^obs:/);
  });

  it("scale every rule over a period at the start of a month", () => {
    const periods = groups.flatMap((group) => group.rules).filter(({ expr }) => /\[\d+d\]/.test(expr));
    expect(periods).toHaveLength(8);
    for (const { expr } of periods) {
      const days = /\[(\d+)d\]/.exec(expr)?.[1] ?? "";
      expect(expr).toContain(`clamp_max(day_of_month() / ${days}, 1)`);
    }
  });

  it("pass promtool, with the alerts", async () => {
    const { code, stdout, stderr } = await runProgram("promtool", ["check", "rules", rules, alerts]);
    expect(`${stdout}${stderr}`).not.toContain("FAILED");
    expect(code).toBe(0);
  });

  const unitTests = readdirSync(join(directory, "tests"));
  it.each(unitTests)("compute the documented values: %s", async (file) => {
    const test = ["test", "rules", join(directory, "tests", file)];
    // It evaluates the rules over five weeks.
    const { code, stdout, stderr } = await runProgram("promtool", test, { timeoutMs: 45_000 });
    expect({ code, output: `${stdout}${stderr}` }).toMatchObject({ code: 0 });
  });

  it("are evaluated by a real Prometheus over a running collector", async () => {
    const collector = await startBuiltCollector({
      SRE_ENABLED: "true",
      SRE_AGENTS_JSON: JSON.stringify({ support: { slo_error_rate: 0.5, cost_budget_usd: 1000 } }),
    });
    onTestFinished(() => killProgram(collector));
    const prometheus = await startPrometheus({ obspan: `127.0.0.1:${collector.port}` }, [
      evaluatedEachSecond(rules),
      evaluatedEachSecond(alerts),
    ]);
    onTestFinished(() => prometheus.stop());

    const attributes = { model: "m", agent: "support", cost_usd: 0.01 };
    const spansOf = (count: number, status: string) =>
      batchOf(count, `rules-${status}`, { attributes, status }).spans;
    // In one batch, so that no scrape is between the calls and their errors.
    const send = async (calls: number, errors: number): Promise<void> => {
      const spans = [...spansOf(calls, "OK"), ...spansOf(errors, "ERROR")];
      await fetch(`${collector.url}/v1/telemetry`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ service: "e2e", spans }),
      });
    };
    // Prometheus needs a first sample of a counter before an increase.
    await send(1, 1);
    await until("the counters are scraped", async () => {
      return (await prometheus.query("obs_llm_calls_total")).length === 2 || undefined;
    });
    await send(75, 25);

    const valueOf = async (rule: string): Promise<number> =>
      await until(
        `${rule} has a value above 0`,
        async () => {
          const [only] = await prometheus.query(`${rule}{agent="support"} > 0`);
          return only?.value;
        },
        45_000,
      );
    // A quarter of the calls failed, half may fail. Extrapolation affects both equally.
    expect(await valueOf("obs:error_rate:ratio7d")).toBeCloseTo(0.25, 1);
    expect(await valueOf("obs:error_burn_rate:1h")).toBeCloseTo(0.5, 1);
    expect(await valueOf("obs:error_budget:ratio_remaining30d")).toBeCloseTo(0.5, 1);
    expect(await valueOf("obs:cost_budget:usd_remaining7d")).toBeGreaterThan(990);
    expect(prometheus.log.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
  });
});

describe("the Grafana dashboard", () => {
  it("queries only families and rules that exist", () => {
    const names = readFileSync(dashboard, "utf8").match(/\bobs[_:][a-zA-Z0-9_:]+/g) ?? [];
    expect(names.length).toBeGreaterThan(30);
    const families = Object.keys(METRIC_FAMILIES);
    for (const name of new Set(names)) {
      const family = name.replace(/_(bucket|sum|count)$/, "");
      expect(recorded.has(name) || families.includes(name) || families.includes(family), name).toBe(true);
    }
  });

  it("has a title and a query in every panel", () => {
    const { panels } = JSON.parse(readFileSync(dashboard, "utf8")) as {
      panels: { type: string; title: string; targets?: { expr: string }[] }[];
    };
    for (const { type, title, targets = [] } of panels) {
      expect(title).not.toBe("");
      if (type !== "row") expect(targets.length, title).toBeGreaterThan(0);
    }
  });
});
