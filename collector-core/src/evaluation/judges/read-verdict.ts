import { isRecord } from "../../span/span-facts.js";
import type { Verdict } from "../evaluation-type.js";

/** Maximum length of a label (contract 8). */
const MAX_LABEL_LENGTH = 64;
/** Maximum length of an explanation; the rest is cut off. */
const MAX_EXPLANATION_LENGTH = 1000;
/** Maximum length of an answer to parse. */
const MAX_ANSWER_LENGTH = 100_000;

/**
 * Parses a judge's answer. Only the score is required; further fields are ignored.
 *
 * @returns the verdict, or the reason why the answer is malformed.
 */
export function readVerdict(answer: string): Verdict | string {
  if (answer.length > MAX_ANSWER_LENGTH) return `it is longer than ${MAX_ANSWER_LENGTH} characters`;
  const value = parseObject(answer);
  if (value === undefined) return "it is not a JSON object";
  const { score, label, explanation } = value;
  if (typeof score !== "number") return 'its "score" is not a number';
  if (!(score >= 0 && score <= 1)) return 'its "score" is not from 0 to 1';
  if (label != null && (typeof label !== "string" || Array.from(label).length > MAX_LABEL_LENGTH))
    return `its "label" is not a text of at most ${MAX_LABEL_LENGTH} characters`;
  if (explanation != null && typeof explanation !== "string") return 'its "explanation" is not a text';
  return {
    score,
    label: label || undefined,
    explanation: explanation ? Array.from(explanation).slice(0, MAX_EXPLANATION_LENGTH).join("") : undefined,
  };
}

/** Parses a JSON object, including one with a code fence or words around it. */
function parseObject(answer: string): Record<string, unknown> | undefined {
  const whole = parse(answer);
  if (isRecord(whole)) return whole;
  const from = answer.indexOf("{");
  const to = answer.lastIndexOf("}");
  const inner = from < 0 || to < from ? undefined : parse(answer.slice(from, to + 1));
  return isRecord(inner) ? inner : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
