/**
 * Records the runs of LangChain and LangGraph.
 *
 * @packageDocumentation
 */
export { ObspanCallbackHandler } from "./callback-handler.js";
export { instrumentLangChain } from "./instrument.js";
