import { describe, expect, it } from "vitest";
import { OBSPAN } from "../harness/built-collector.js";
import { runProgram } from "../harness/shell.js";
import { rule } from "./rule.js";
import { SPEC_RULES, type SpecRule } from "./spec-rules.js";

const upTo = (last: number): string => Array.from({ length: last }, (_, index) => index + 1).join(",");

const CAPS = [
  ...["MODEL", "PROVIDER", "TOOL_NAME", "AGENT", "ERROR_TYPE"].map((label) => `LIMITS_CARDINALITY_${label}`),
  "EVALUATION_MAX_EVALUATION_TYPES",
];

/** For each rule: its variables, the accepted values at the boundaries, and the refused values just beyond. */
const BOUNDARIES: Partial<
  Record<SpecRule, { of: readonly string[]; taken: readonly string[]; refused: readonly string[] }>
> = {
  "8 rule 1": {
    of: ["HISTOGRAMS_DURATION_BUCKETS", "HISTOGRAMS_TOKENS_BUCKETS"],
    taken: ["1", upTo(20)],
    refused: [upTo(21)],
  },
  "8 rule 2": {
    of: ["HISTOGRAMS_DURATION_BUCKETS", "HISTOGRAMS_TOKENS_BUCKETS"],
    taken: ["0.001,1"],
    refused: ["0,1", "-1,1", "2,1", "1,1"],
  },
  "8 rule 3": { of: ["LIMITS_MAX_QUEUE_SIZE"], taken: ["1", "1000000"], refused: ["0", "-1", "1000001"] },
  "8 rule 4": { of: ["LIMITS_MAX_TRACES"], taken: ["1", "500000"], refused: ["0", "-1", "500001"] },
  "8 rule 5": { of: ["LIMITS_MAX_LABEL_VALUE_LENGTH"], taken: ["1", "1024"], refused: ["0", "-1", "1025"] },
  "8 rule 6": { of: CAPS, taken: ["1"], refused: ["0", "-1"] },
  "8 rule 7": { of: ["SAMPLING_RATE"], taken: ["0.0", "1.0"], refused: ["-0.1", "1.1"] },
  "8 rule 8": { of: ["BACKPRESSURE_SOFT_LIMIT_PCT"], taken: ["94.9"], refused: ["95.0", "96"] },
  "8 rule 9": {
    of: ["RATE_LIMIT_PER_IP_RPM", "RATE_LIMIT_PER_SERVICE_RPM"],
    taken: ["1"],
    refused: ["0", "-1"],
  },
  "8 rule 10": { of: ["TRACE_STORE_MAX_SPANS_PER_TRACE"], taken: ["1"], refused: ["0", "-1"] },
  "8 rule 11": { of: ["TRACE_STORE_TTL_SECONDS"], taken: ["0"], refused: ["-1"] },
  "8 rule 12": { of: ["SHUTDOWN_GRACE_PERIOD_SECONDS"], taken: ["0"], refused: ["-1"] },
  "8 rule 13": {
    of: ["LOGGING_LEVEL"],
    taken: ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"],
    refused: ["WARN", "VERBOSE"],
  },
  "8 rule 14": { of: ["SRE_DEFAULT_SLO_ERROR_RATE"], taken: ["0.0001", "1.0"], refused: ["0.0", "1.01"] },
  "8 rule 15": { of: ["SRE_DEFAULT_COST_BUDGET_USD"], taken: ["0.0"], refused: ["-0.01"] },
  "8 rule 16": {
    of: ["SRE_AGENTS_JSON"],
    taken: ['{"support":{"slo_error_rate":1.0}}'],
    refused: ['{"support":{"slo_error_rate":0}}', '{"support":{"slo_error_rate":1.01}}'],
  },
};

/** What `obspan check-config` reports: its problems, one a line. */
interface Report {
  readonly code: number;
  readonly problems: readonly string[];
}

type Kind = "taken" | "refused";

/**
 * The values of one kind for each start of the command. A start takes long, so each checks values of all rules together,
 * but of each variable only one.
 */
function startsOf(kind: Kind): Record<string, string>[] {
  const starts: Record<string, string>[] = [];
  for (const { of, [kind]: values } of Object.values(BOUNDARIES)) {
    for (const value of values) {
      let start = starts.find((each) => of.every((variable) => each[variable] === undefined));
      if (start === undefined) starts.push((start = {}));
      for (const variable of of) start[variable] = value;
    }
  }
  return starts;
}

const starts = { taken: startsOf("taken"), refused: startsOf("refused") };
const reports = new Map<object, Promise<Report>>();

function reportOf(start: Readonly<Record<string, string>>): Promise<Report> {
  let report = reports.get(start);
  if (report === undefined) reports.set(start, (report = check(start)));
  return report;
}

async function check(start: Readonly<Record<string, string>>): Promise<Report> {
  const env = Object.fromEntries(
    Object.entries(start).map(([variable, value]) => [`OBS_SERVER_${variable}`, value]),
  );
  const { code, stderr } = await runProgram(process.execPath, [OBSPAN, "check-config"], { env });
  return { code, problems: stderr.split("\n").filter((line) => line.startsWith("  ")) };
}

/** The problems that are reported for a value of some variables. */
async function problemsOf(
  kind: Kind,
  variables: readonly string[],
  value: string,
): Promise<readonly string[]> {
  const start = starts[kind].find((each) => variables.every((variable) => each[variable] === value));
  if (start === undefined) throw new Error(`${variables.join()} = ${value} is in no start.`);
  const { problems } = await reportOf(start);
  return problems.filter((line) => variables.some((variable) => line.includes(`(OBS_SERVER_${variable})`)));
}

describe("the server refuses to start where", () => {
  for (const [id, { of, taken, refused }] of Object.entries(BOUNDARIES)) {
    rule(id as SpecRule, SPEC_RULES[id as SpecRule], async () => {
      for (const value of taken) expect(await problemsOf("taken", of, value)).toEqual([]);
      for (const value of refused) {
        const problems = await problemsOf("refused", of, value);
        expect(problems).toHaveLength(of.length);
        for (const [index, variable] of of.entries()) {
          expect(problems[index]).toContain(`(OBS_SERVER_${variable})`);
          expect(problems[index]).toContain("must be");
        }
      }
    });
  }

  it("any of the values is refused, and reports nothing else", async () => {
    for (const start of starts.taken) expect(await reportOf(start)).toEqual({ code: 0, problems: [] });
    for (const start of starts.refused) {
      const { code, problems } = await reportOf(start);
      expect(code).toBe(1);
      expect(problems).toHaveLength(Object.keys(start).length);
    }
  });
});
