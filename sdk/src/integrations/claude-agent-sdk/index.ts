/**
 * Records the queries of the Claude Agent SDK.
 *
 * @packageDocumentation
 */
export { wrapQuery, type WrapQueryOptions } from "./wrap-query.js";
