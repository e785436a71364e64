import type { ComparedStepAnswer, StepDifference, StepPairAnswer } from "@obspan/collector-core/api-schema";

/** How the page names what differs in a model call. */
const CALL_NAMES: ReadonlyMap<StepDifference, string> = new Map([
  ["name", "name"],
  ["error", "error"],
  ["model", "model"],
  ["parameters", "parameters"],
  ["system", "system prompt"],
  ["tools", "tool definitions"],
  ["input", "messages"],
  ["output", "output"],
]);
/** The same for other steps. */
const STEP_NAMES: ReadonlyMap<StepDifference, string> = new Map([
  ["input", "arguments"],
  ["output", "result"],
]);
/** What a prompt consists of. */
const PROMPT: ReadonlySet<StepDifference> = new Set(["parameters", "system", "tools", "input"]);

/** What differs in a step, in the words of the page. */
export interface StepWords {
  /** `text changed, 41 %`. */
  readonly main: string;
  /** What follows it, fainter. */
  readonly rest: string;
  readonly tone: "equal" | "changed" | "error" | "single";
}

/** The step that a row is about. */
export function stepOf({ a, b }: StepPairAnswer): ComparedStepAnswer {
  const step = b ?? a;
  if (step === null) throw new Error("A pair without steps.");
  return step;
}

/** Whether a collector computed the cost of one of the steps. */
export function isCostComputed({ a, b }: StepPairAnswer): boolean {
  return a?.cost_source === "computed" || b?.cost_source === "computed";
}

/** Whether a row is a difference of the runs. */
export function differs({ a, b, differences }: StepPairAnswer): boolean {
  return a === null || b === null || differences.length > 0;
}

/** What the last column of the table says. */
export function stepWords(pair: StepPairAnswer): StepWords {
  const { a, b, differences, changed_share: share } = pair;
  if (b === null || a === null)
    return { main: b === null ? "only in A" : "only in B", rest: stepOf(pair).error ?? "", tone: "single" };
  if (differences.length === 0) return { main: "equal", rest: "", tone: "equal" };
  const others = differences.filter((difference) => difference !== "error" && difference !== "output");
  const names = others.map((difference) => nameOf(pair, difference));
  if (differences.includes("error")) {
    const main = b.error ?? `failed in A: ${a.error ?? ""}`;
    return { main, rest: names.join(", "), tone: b.error === null ? "changed" : "error" };
  }
  if (!differences.includes("output")) {
    const [first = "", ...more] = names;
    return { main: `${first} changed`, rest: more.join(", "), tone: "changed" };
  }
  const percent = share === null ? "" : `, ${Math.max(1, Math.round(share * 100))} %`;
  const what = stepOf(pair).span_type === "llm" ? "text" : "result";
  return { main: `${what} changed${percent}`, rest: names.join(", "), tone: "changed" };
}

/** The second line of a step in the strip: `prompt, output`. */
export function stripWords(pair: StepPairAnswer): string {
  const { a, b, differences } = pair;
  if (b === null) return "only in A";
  if (a === null) return "only in B";
  if (differences.length === 0) return "same";
  if (differences.includes("error")) return b.error === null ? "failed in A" : "failed in B";
  if (stepOf(pair).span_type !== "llm") return differences.map((each) => nameOf(pair, each)).join(", ");
  const parts = [
    ...(differences.includes("model") || differences.includes("name") ? ["model"] : []),
    ...(differences.some((each) => PROMPT.has(each)) ? ["prompt"] : []),
    ...(differences.includes("output") ? ["output"] : []),
  ];
  return parts.join(", ");
}

function nameOf(pair: StepPairAnswer, difference: StepDifference): string {
  const own = stepOf(pair).span_type === "llm" ? undefined : STEP_NAMES.get(difference);
  return own ?? CALL_NAMES.get(difference) ?? difference;
}
