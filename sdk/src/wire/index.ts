/**
 * The types of the wire format: the body of `POST /v1/telemetry`.
 *
 * @packageDocumentation
 */
export * from "./attributes.js";
export * from "./messages.js";
export * from "./span.js";
