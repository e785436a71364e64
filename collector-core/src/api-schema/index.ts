/**
 * Types and schemas of the API for the UI and other clients; safe in a browser.
 *
 * @packageDocumentation
 */
export * from "./byte-size.js";
export * from "./compare.js";
export * from "./config.js";
export * from "./context.js";
export * from "./errors.js";
export * from "./evaluation-types.js";
export * from "./evaluations.js";
export * from "./events.js";
export * from "./group-keys.js";
export * from "./groups.js";
export * from "./health.js";
export * from "./judge-providers.js";
export * from "./import.js";
export * from "./live.js";
export * from "./metrics.js";
export * from "./otlp.js";
export * from "./prices.js";
export * from "./query/index.js";
export * from "./redaction-marks.js";
export * from "./sessions.js";
export * from "./share.js";
export * from "./stats.js";
export * from "./store.js";
export * from "./telemetry.js";
export * from "./trace.js";
export * from "./views.js";
