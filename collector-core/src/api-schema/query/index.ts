/** The query language (contract 9, "Asking"): one for the API, the pages and every other client. */
export * from "./conditions.js";
export * from "./format-query.js";
export * from "./parse-query.js";
export * from "./query-keys.js";
export * from "./query-terms.js";
export * from "./query-values.js";
