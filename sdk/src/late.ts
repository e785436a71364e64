/** The code that loads after the start of an app. */
export { warnDifferentOptions, warnUnknownOptions } from "./config/option-warnings.js";
export { recordStream } from "./capture/record-stream.js";
