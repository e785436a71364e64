/**
 * Records the calls of Ollama's client.
 *
 * @packageDocumentation
 */
export { wrapOllama, type WrapOllamaOptions } from "./wrap-ollama.js";
