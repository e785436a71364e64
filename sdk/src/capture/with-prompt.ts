import { activeRuntime } from "../runtime/active-runtime.js";
import { currentContext, runInContext } from "../span/context.js";
import { newTrace } from "../span/start-span.js";
import { textHash } from "../span/text-hash.js";

/** A version of a prompt, and what it was filled with. */
export interface Prompt {
  /** Sent as `prompt_name`. */
  readonly name: string;
  /** Sent as `prompt_version`. */
  readonly version?: string | undefined;
  /** The text before it is filled. Only its hash is sent (`prompt_template_hash`, 16 hexadecimal digits). */
  readonly template?: string | undefined;
  /** What the template is filled with. Sent as `prompt_variables`, masked, and not if `capturePrompt` is false. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Runs a function and marks the model calls inside it with a prompt, so that the app can compare the versions of the prompt.
 * The innermost prompt applies.
 *
 * @returns what the function returns.
 *
 * @example
 * ```ts
 * const template = "Summarise for {audience}:";
 * const prompt = { name: "summary", version: "3", template, variables: { audience: "lawyers" } };
 * const summary = await withPrompt(prompt, () => ask(template.replace("{audience}", "lawyers")));
 * ```
 */
export function withPrompt<T>({ name, version, template, variables }: Prompt, fn: () => T): T {
  if (activeRuntime() === undefined) return fn();
  const { trace = newTrace(), spanId = "", span } = currentContext() ?? {};
  const prompt = {
    prompt_name: name,
    prompt_version: version,
    prompt_template_hash: typeof template === "string" ? hashOf(template) : undefined,
    prompt_variables: variables,
  };
  return runInContext({ trace, spanId, span, prompt }, fn);
}

/** 64 bits: a collision of two versions is improbable. */
function hashOf(text: string): string {
  return [1, 2].map((seed) => textHash(text, seed).toString(16).padStart(8, "0")).join("");
}
