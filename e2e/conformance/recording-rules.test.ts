import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { expect } from "vitest";
import { rule } from "./rule.js";

const RULES = fileURLToPath(new URL("../../collector-core/prometheus/obspan-rules.yml", import.meta.url));

rule(
  "4.8",
  "evaluates three groups every 15 s, named obs:, and scales windows of days at the start of a month",
  () => {
    const { groups } = parse(readFileSync(RULES, "utf8")) as {
      groups: { name: string; interval: string; rules: { record: string; expr: string }[] }[];
    };
    expect(groups.map(({ name, interval }) => [name, interval])).toEqual([
      ["obs_sre_weekly", "15s"],
      ["obs_sre_monthly", "15s"],
      ["obs_sre_burn_rates", "15s"],
    ]);
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.filter(({ record }) => !record.startsWith("obs:"))).toEqual([]);
    for (const days of ["7", "30"]) {
      const scaled = rules.filter(({ expr }) => expr.includes("increase(") && expr.includes(`[${days}d]`));
      expect(scaled.length).toBeGreaterThanOrEqual(4);
      const scale = `clamp_max(day_of_month() / ${days}, 1)`;
      for (const { expr } of scaled) expect(expr).toContain(scale);
    }
  },
);
