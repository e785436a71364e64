/**
 * What can be read from the spans of a trace, as pure functions. Safe in a browser: every reader of traces uses them.
 *
 * @packageDocumentation
 */
export * from "./attributes.js";
export * from "./canonical-json.js";
export * from "./compare/index.js";
export * from "./context/index.js";
export * from "./critical-path.js";
export * from "./error-groups.js";
export * from "./error-shape.js";
export * from "./flame/flame.js";
export * from "./flame/flame-layout.js";
export * from "./flame/measured-spans.js";
export * from "./flame/where-it-went.js";
export * from "./graph/build-graph.js";
export * from "./graph/fold-graph.js";
export * from "./graph/graph-layers.js";
export * from "./graph/run-graph.js";
export * from "./image-address.js";
export { runSteps, type Steps } from "./in-steps.js";
export * from "./instant.js";
export * from "./later-reads.js";
export * from "./leaf-usage.js";
export * from "./message.js";
export * from "./messages.js";
export * from "./model-calls.js";
export * from "./panel-queries.js";
export * from "./read-messages.js";
export * from "./repeats.js";
export * from "./run.js";
export * from "./session/turn-reading.js";
export * from "./span-tree.js";
export * from "./step-hints.js";
export * from "./subtotals.js";
export * from "./tool-spans.js";
export * from "./tool-uses.js";
export * from "./transcript/entries.js";
export * from "./transcript/repeated-messages.js";
export * from "./transcript/transcript-markdown.js";
export * from "./transcript/transcript.js";
export * from "./values.js";
