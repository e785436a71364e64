/**
 * Records agents, workflows and tools of Mastra.
 *
 * @packageDocumentation
 */
export { ObspanExporter } from "./obspan-exporter.js";
