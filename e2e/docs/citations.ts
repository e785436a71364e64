import { slugOf } from "./markdown-anchors.js";

/** A reference to a rule of docs/specification.md by its number. */
export interface Citation {
  /** The line number, from 1. */
  readonly line: number;
  /** The text of the citation. */
  readonly text: string;
  /** The anchors of docs/specification.md that it names. */
  readonly anchors: readonly string[];
}

const RULES = String.raw`\s+(?:(?:rule|step)\s+\d+|(?:rules|steps)\s+\d+(?:\s*(?:,|and)\s*\d+)*)`;
const PART = String.raw`\d+(?:\.\d+)*(?:${RULES})?`;
/** After a comma, only an unambiguous number is a further part. */
const FURTHER_PART = String.raw`\s*,\s*(?:\d+(?:\.\d+)+(?:${RULES})?|\d+${RULES})|\s+and\s+${PART}`;
const SERVICE = new RegExp(
  String.raw`\bspec,?\s+(?:introduction\b|app\s+\d+|${PART}(?:${FURTHER_PART})*)`,
  "gi",
);
const CONTRACT = /\bcontract\s+(\d+)(?:(?:,|\s+has\s+it\s+under)\s+(?:"([^"\n]+)"|(the\s+ledger)\b))?/gi;

/** Finds every citation of the specification in a text, also across two lines of a comment. */
export function citationsIn(text: string): Citation[] {
  const flat = withoutLineBreaks(text);
  const citations: Citation[] = [];
  const add = (index: number, found: string, anchors: readonly string[]): void => {
    const line = text.slice(0, index).split("\n").length;
    citations.push({ line, text: found.replace(/\s+/g, " "), anchors });
  };
  for (const { 0: found, index } of flat.matchAll(SERVICE)) add(index, found, serviceAnchors(found));
  for (const { 0: found, 1: part = "", 2: title, 3: ledger, index } of flat.matchAll(CONTRACT)) {
    const named = title ?? ledger;
    const anchor = `contract-${part}`;
    add(index, found, [named === undefined ? anchor : `${anchor}-${slugOf(named.replace(/\s+/g, " "))}`]);
  }
  return citations;
}

/** Replaces each line break, with the start of the next comment line, by spaces; other positions do not change. */
function withoutLineBreaks(text: string): string {
  return text.replace(/\r?\n[ \t]*(?:\*(?!\/)|\/\/|#|>)?/g, (gap) => " ".repeat(gap.length));
}

/** `spec 1, 4.9 rule 4` names `spec-1` and `spec-4-9-rule-4`. */
function serviceAnchors(citation: string): string[] {
  if (/introduction$/i.test(citation)) return ["spec-introduction"];
  const prefix = /^spec\s+app\b/i.test(citation) ? "spec-app" : "spec";
  const parts = citation.toLowerCase().matchAll(new RegExp(PART, "g"));
  return Array.from(parts, ([part]) => {
    const [number = "", ...rules] = part.match(/[\d.]+/g) ?? [];
    const anchor = `${prefix}-${number.replaceAll(".", "-")}`;
    const kind = part.includes("step") ? "step" : "rule";
    return rules.length === 0 ? [anchor] : rules.map((rule) => `${anchor}-${kind}-${rule}`);
  }).flat();
}
