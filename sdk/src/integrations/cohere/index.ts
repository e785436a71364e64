/**
 * Records the calls of Cohere's client.
 *
 * @packageDocumentation
 */
export { wrapCohere, type WrapCohereOptions } from "./wrap-cohere.js";
