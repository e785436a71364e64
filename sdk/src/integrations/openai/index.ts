/**
 * Records the calls of an OpenAI client.
 *
 * @packageDocumentation
 */
export { wrapOpenAI, type WrapOpenAIOptions } from "./wrap-openai.js";
