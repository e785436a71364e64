export { contextOf, ContextReader, type FindModel, type ModelFacts } from "./call-context.js";
export { OUTLINE_ATTRIBUTES, outlineOf, type SpanOutline } from "./call-outline.js";
export { isOneCall } from "./is-one-call.js";
