/** Two runs beside each other. */
export * from "./compare-runs.js";
export * from "./compared-items.js";
export * from "./comparison-answer.js";
export * from "./comparison-markdown.js";
export * from "./differences.js";
export * from "./figures.js";
export * from "./main-causes.js";
export * from "./side-texts.js";
export * from "./step-texts.js";
export * from "./text-share.js";
export * from "./word-diff.js";
