/** The code that loads after the start of an app. */
export { recordStream } from "./capture/record-stream.js";
