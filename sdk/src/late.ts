/** The code that loads after the start of an app. */
export { warnDifferentOptions, warnUnknownOptions } from "./config/option-warnings.js";
export { recordScore } from "./capture/record-score.js";
export { warnWrapper } from "./capture/wrapper-warning.js";
export { recordStream } from "./capture/record-stream.js";
