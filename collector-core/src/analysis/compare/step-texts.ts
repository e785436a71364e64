import type { NormalizedSpan } from "../../api-schema/trace.js";
import { attributesOf, CONTENT_ATTRIBUTES, numberOf, textOf } from "../attributes.js";
import { canonicalJson } from "../canonical-json.js";
import type { SpanMessage } from "../message.js";
import { recordedMessages } from "../messages.js";
import { unitsOf } from "../transcript/message-units.js";
import { comparedItems, type ComparedItem } from "./compared-items.js";
import { isParameter } from "./parameters.js";
import { SECTIONS, type SectionName, type SideTexts } from "./side-texts.js";
import { itemOfTool, itemOfUnit, type TextItem } from "./text-items.js";
import { estimatedDeltas } from "./token-estimate.js";
import { toolDefinitionsOf } from "./tool-definitions.js";

/** A named value in both steps; undefined where it is missing. */
export interface ComparedValue {
  readonly name: string;
  readonly a: unknown;
  readonly b: unknown;
  readonly isEqual: boolean;
}

/** A part of two steps, beside each other. */
export interface TextSection {
  readonly name: SectionName;
  readonly items: readonly ComparedItem[];
  /** What the second step has more, in tokens: estimated for parts of the input. Undefined if not known. */
  readonly tokens: number | undefined;
}

/** The texts and values of two steps, beside each other. */
export interface StepTexts {
  readonly isModelCall: boolean;
  /** Settings of a model call, those that differ first. */
  readonly parameters: readonly ComparedValue[];
  /** Those that have text. */
  readonly sections: readonly TextSection[];
  /** All other attributes, those that differ first. */
  readonly attributes: readonly ComparedValue[];
}

/** The spans that have the texts of a step: its own and its wrappers, from inside. Undefined for a missing step. */
export type StepSpans = readonly NormalizedSpan[] | undefined;

/**
 * Compares the texts of two steps word by word. Their spans must have whole texts, otherwise previews are compared.
 *
 * @param maxCharacters - of the changed texts of a section; further ones are shown as replaced.
 */
export function compareStepTexts(a: StepSpans, b: StepSpans, maxCharacters?: number): StepTexts {
  const sides = [textsOf(a ?? []), textsOf(b ?? [])] as const;
  const isModelCall = sides.some((side) => side.isModelCall);
  const values = comparedValues(a?.[0], b?.[0]);
  const tokens = estimatedDeltas(sides[0], sides[1]);
  const sections = SECTIONS.map((name) => ({
    name,
    items: comparedItems(sides[0][name], sides[1][name], maxCharacters),
    tokens: tokens?.[name],
  })).filter(({ items }) => items.length > 0);
  return {
    isModelCall,
    parameters: isModelCall ? values.filter(({ name }) => isParameter(name)) : [],
    sections,
    attributes: values.filter(({ name }) => !(isModelCall && isParameter(name))),
  };
}

function textsOf(sources: readonly NormalizedSpan[]): SideTexts {
  const [span] = sources;
  const isModelCall = span?.span_type === "llm";
  const input = firstMessages(sources, "input");
  const units = unitsOf(input);
  const figure = (key: string): number | undefined =>
    sources.map((each) => numberOf(each, key)).find((value) => value !== undefined);
  return {
    isModelCall,
    tokensInput: isModelCall ? figure("tokens_input") : undefined,
    tokensOutput: isModelCall ? figure("tokens_output") : undefined,
    system: isModelCall ? units.filter(({ role }) => role === "system").map(itemOfUnit) : [],
    tools: isModelCall ? toolDefinitionsOf(sources).map(itemOfTool) : [],
    input: units.filter(({ role }) => !isModelCall || role !== "system").map(itemOfUnit),
    output: unitsOf(firstMessages(sources, "output")).map(itemOfUnit),
    error: span === undefined ? [] : errorItems(span),
  };
}

function firstMessages(sources: readonly NormalizedSpan[], side: "input" | "output"): readonly SpanMessage[] {
  return sources.map((span) => recordedMessages(span)[side]).find(({ length }) => length > 0) ?? [];
}

function errorItems(span: NormalizedSpan): TextItem[] {
  if (span.status !== "ERROR") return [];
  const type = textOf(span, "error_type") ?? "error";
  const text = textOf(span, "error_message") ?? type;
  return [{ key: `${type} ${text}`, like: "error", label: type, form: "data", text }];
}

/** Ids that every call has of its own. */
const OWN_ID = /(?:response|request|call|message|run)[._]?id$/i;

function comparedValues(a: NormalizedSpan | undefined, b: NormalizedSpan | undefined): ComparedValue[] {
  const [inA, inB] = [a, b].map((span) => (span === undefined ? {} : attributesOf(span)));
  const names = new Set([...Object.keys(inA ?? {}), ...Object.keys(inB ?? {})]);
  const values = [...names]
    .filter((name) => !CONTENT_ATTRIBUTES.has(name) && !OWN_ID.test(name))
    .map((name): ComparedValue => {
      const [valueA, valueB] = [ownValue(inA, name), ownValue(inB, name)];
      return { name, a: valueA, b: valueB, isEqual: isSame(valueA, valueB) };
    });
  return [...values.filter(({ isEqual }) => !isEqual), ...values.filter(({ isEqual }) => isEqual)];
}

function ownValue(attributes: Readonly<Record<string, unknown>> = {}, name: string): unknown {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}
