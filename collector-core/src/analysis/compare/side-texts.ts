import type { TextItem } from "./text-items.js";

/** The parts of a step that have text. */
export const SECTIONS = ["system", "tools", "input", "output", "error"] as const;
export type SectionName = (typeof SECTIONS)[number];

/** The texts of one step by part, with what the provider counted. */
export interface SideTexts extends Readonly<Record<SectionName, readonly TextItem[]>> {
  readonly isModelCall: boolean;
  readonly tokensInput: number | undefined;
  readonly tokensOutput: number | undefined;
}
