export { newSpan } from "../../../../../collector-core/test/analysis/spans.js";
