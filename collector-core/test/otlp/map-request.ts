import type { Message, Span } from "@obspan/sdk/wire";
import { readJsonRequest } from "../../src/otlp/read-json.js";
import type { LinkMemory } from "../../src/otlp/request-links.js";
import { spansFromOtlp } from "../../src/otlp/spans-from-otlp.js";
import { otlpRequest, type TestSpan } from "./otlp-request.js";

/** What the spans of one request become. */
export function mapAll(spans: readonly TestSpan[], scope?: string, memory?: LinkMemory): Span[] {
  const request = readJsonRequest(otlpRequest(spans, scope === undefined ? {} : { scope }));
  return spansFromOtlp(request, undefined, memory).applications.flatMap((application) => application.spans);
}

/** What one span becomes. */
export function map(span: TestSpan, scope?: string): Span {
  const [mapped] = mapAll([span], scope);
  if (mapped === undefined) throw new Error("The span was refused.");
  return mapped;
}

/** A message of one text. */
export const user = (content: string): Message => ({ role: "user", parts: [{ type: "text", content }] });
export const assistant = (content: string): Message => ({
  role: "assistant",
  parts: [{ type: "text", content }],
});
