import { RuleTester, type Rule } from "eslint";
import { describe, it } from "vitest";

const module = new URL("../../../scripts/lint/described-error-in-log.mjs", import.meta.url);
const { describedErrorInLog } = (await import(module.href)) as { describedErrorInLog: Rule.RuleModule };
RuleTester.describe = describe;
RuleTester.it = it;
const errors = [{ messageId: "stack" }];

new RuleTester().run("described-error-in-log", describedErrorInLog, {
  valid: [
    "log.error('It failed.', { error: describeError(error) });",
    "host.log('error', 'It failed.', { path, error: describeError(error) });",
    "logger.warning('It failed.', { where, ...(error !== undefined && { error: describeError(error) }) });",
  ],
  invalid: [
    { code: "log.error(`It failed: ${describeError(error)}`);", errors },
    { code: "log.error(describeError(error), {});", errors },
    { code: "throw new ApiError('invalid_query', describeError(error));", errors },
    { code: "answer({ error: describeError(error) });", errors },
    { code: "const reason = describeError(error);", errors },
    { code: "port.postMessage({}, { error: describeError(error) });", errors },
    { code: "errors.map(describeError);", errors },
  ],
});
