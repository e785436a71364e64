/**
 * Records the calls of a Google GenAI client.
 *
 * @packageDocumentation
 */
export { wrapGoogleGenAI, type WrapGoogleGenAIOptions } from "./wrap-google-genai.js";
