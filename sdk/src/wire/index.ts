/**
 * What the SDK and the collector say to each other: the types of the body of `POST /v1/telemetry`.
 *
 * @packageDocumentation
 */
export * from "./attributes.js";
export * from "./messages.js";
export * from "./span.js";
