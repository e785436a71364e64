/**
 * Records the calls of Mistral's client.
 *
 * @packageDocumentation
 */
export { wrapMistral, type WrapMistralOptions } from "./wrap-mistral.js";
