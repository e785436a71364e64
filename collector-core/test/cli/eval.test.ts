import { describe, expect, it } from "vitest";
import type { TraceSummary } from "../../src/api-schema/trace.js";
import { judge, parseExpectation } from "../../src/cli/eval/expectation.js";
import { githubAnnotation, junitReport, valueText } from "../../src/cli/eval/reports.js";

/** Runs of 100 ms to 1 s; every fourth failed; the score is there from the third on. */
const RUNS = Array.from({ length: 10 }, (_, index): Partial<TraceSummary> => ({
  trace_id: `run-${index}`,
  status: index % 4 === 0 ? "ERROR" : "OK",
  error_count: index % 4 === 0 ? 2 : 0,
  duration_ms: (index + 1) * 100,
  ttft_ms: index === 0 ? 50 : null,
  cost_usd: index === 9 ? 1 : 0.01,
  tokens_input: 1000,
  tokens_output: index * 10,
  llm_calls: 2,
  tool_calls: index,
  scores: index < 2 ? [] : [{ type: "relevance", score: index / 10, label: null }],
})) as TraceSummary[];

function verdictOf(text: string) {
  return judge(parseExpectation(text), RUNS);
}

describe("contract 9: obspan eval", () => {
  it.each([
    ["runs=10", 10, true],
    ["error_rate<0.3", 0.3, false],
    ["error_rate<=30%", 0.3, true],
    ["errors<7", 6, true],
    ["cost<$2", 1.09, true],
    ["cost_per_run<0.1", 0.109, false],
    ["max_cost<=1", 1, true],
    ["p50<500ms", 500, false],
    ["p95<=1s", 1000, true],
    ["ttft_p95 <= 50ms", 50, true],
    ["tokens_per_run<1.1k", 1045, true],
    ["max_tool_calls<9", 9, false],
    ["score:relevance>=0.5", 0.55, true],
    ["min_score:relevance>=0.5", 0.2, false],
  ])("%s: the value is %d", (text, value, isMet) => {
    const verdict = verdictOf(text);
    expect(verdict.value).toBeCloseTo(value, 10);
    expect(verdict.isMet).toBe(isMet);
  });

  it("marks a cost of which a collector computed some", () => {
    const [first, ...others] = RUNS;
    const runs = [{ ...first, cost_source: "computed" } as TraceSummary, ...others];
    expect(valueText(judge(parseExpectation("cost<$2"), runs))).toBe("≈ $1.09");
    expect(valueText(judge(parseExpectation("runs=10"), runs))).toBe("10");
    expect(valueText(judge(parseExpectation("cost<$2"), others))).toBe("$1.08");
  });

  it("names the runs that are furthest from what is expected", () => {
    expect(verdictOf("min_score:relevance>=0.5").worst.map(({ trace_id: id }) => id)).toEqual([
      "run-2",
      "run-3",
      "run-4",
    ]);
    expect(verdictOf("max_tool_calls<8").worst.map(({ trace_id: id }) => id)).toEqual(["run-9", "run-8"]);
    expect(verdictOf("score:tone>0")).toMatchObject({ isMet: false, value: undefined, runs: 0 });
  });

  it.each([
    "",
    "error_rate",
    "error_rate<",
    "error_rate<a",
    "error_rate<1<2",
    "p95<2k",
    "cost<5%",
    "speed<1",
    "score:<1",
  ])("refuses %j", (text) => expect(() => parseExpectation(text)).toThrow(/[a-z]/));

  it("writes reports that no text can break", () => {
    const hostile = { ...RUNS[0], trace_id: '"><x>&\u001b\ud800\n::error::%' } as TraceSummary;
    const verdict = judge(parseExpectation("error_rate<0.5"), [hostile]);
    const report = junitReport([verdict], 'name:"<&>"', 0.5);
    expect(report).toContain('tests="1" failures="1"');
    expect(report).toContain("&quot;&gt;&lt;x&gt;&amp;\ufffd\ufffd\ufffd::error::%");
    expect(report.match(/<(?!\/?(?:\?xml|testsuites?|testcase|failure)\b)/g)).toBeNull();
    expect(githubAnnotation(verdict)).toBe(
      String.raw`::error title=obspan eval::error_rate<0.5: it is 100 %25 in 1 run. Worst: "><x>&\x1b\ud800 ::error::%25.` +
        "\n",
    );
    expect(valueText(verdict)).toBe("100 %");
  });
});
