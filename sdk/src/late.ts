import { recordScore } from "./capture/record-score.js";
import { recordSource } from "./capture/record-source.js";
import { recordStream } from "./capture/record-stream.js";
import { tapStream } from "./capture/tap-stream.js";
import { warnWrapper } from "./capture/wrapper-warning.js";
import { warnDifferentOptions, warnUnknownOptions } from "./config/option-warnings.js";
import { applyBeforeSend } from "./export/apply-before-send.js";
import { flushWithin } from "./export/flush-within.js";
import { describeError } from "./span/describe-error.js";
import { withoutArguments, withoutCompletions } from "./span/message-parts.js";
import { proxyWith } from "./streams/proxy-with.js";

/** The code that loads after the start of an app, as one chunk. */
export const LATE_CODE = {
  applyBeforeSend,
  describeError,
  flushWithin,
  proxyWith,
  recordScore,
  recordSource,
  recordStream,
  tapStream,
  warnDifferentOptions,
  warnUnknownOptions,
  warnWrapper,
  withoutArguments,
  withoutCompletions,
};

type Functions = typeof LATE_CODE;

declare module "./late-code.js" {
  // oxlint-disable-next-line typescript/no-empty-object-type -- it gets its members from the object above
  interface LateCode extends Functions {}
}
