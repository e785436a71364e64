import type { SectionName, SideTexts } from "./side-texts.js";
import type { TextItem } from "./text-items.js";

/** Characters of a token, on average. Only the proportions of the parts count: their sum is the provider's figure. */
const CHARACTERS = 4;
const INPUT_SECTIONS = ["system", "tools", "input"] as const satisfies readonly SectionName[];

/**
 * How many tokens more each part of the second call has. Parts of the input are estimated, and scaled so that they add up to
 * what the provider reported. Undefined if the provider did not report it.
 */
export function estimatedDeltas(
  a: SideTexts,
  b: SideTexts,
): Readonly<Partial<Record<SectionName, number>>> | undefined {
  const { tokensInput: inputA, tokensOutput: outputA } = a;
  const { tokensInput: inputB, tokensOutput: outputB } = b;
  const deltas: Partial<Record<SectionName, number>> = {};
  if (outputA !== undefined && outputB !== undefined) deltas.output = outputB - outputA;
  if (inputA !== undefined && inputB !== undefined) {
    const [sharesA, sharesB] = [sharesOf(a), sharesOf(b)];
    let rest = inputB - inputA;
    for (const name of INPUT_SECTIONS) {
      const delta = Math.round(sharesB[name] * inputB - sharesA[name] * inputA);
      // The last part takes what rounding left.
      deltas[name] = name === "input" ? rest : delta;
      rest -= delta;
    }
  }
  return Object.keys(deltas).length === 0 ? undefined : deltas;
}

/** The share of each part of the input. */
function sharesOf(side: SideTexts): Readonly<Record<(typeof INPUT_SECTIONS)[number], number>> {
  const [system, tools, input] = INPUT_SECTIONS.map((name) => estimate(side[name]));
  const sum = (system ?? 0) + (tools ?? 0) + (input ?? 0);
  if (sum === 0) return { system: 0, tools: 0, input: 1 };
  return { system: (system ?? 0) / sum, tools: (tools ?? 0) / sum, input: (input ?? 0) / sum };
}

function estimate(items: readonly TextItem[]): number {
  return items.reduce((sum, { label, text }) => sum + (label.length + text.length) / CHARACTERS, 0);
}
