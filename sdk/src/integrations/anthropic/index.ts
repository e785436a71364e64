/**
 * Records the calls of an Anthropic client.
 *
 * @packageDocumentation
 */
export { wrapAnthropic, type WrapAnthropicOptions } from "./wrap-anthropic.js";
