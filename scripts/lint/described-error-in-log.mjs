const LOG_METHODS = new Set(["debug", "info", "warning", "error", "critical", "log"]);

/**
 * A lint rule for stacks: `describeError(…)` is only the value of a property in the context of a log line,
 * `log.error("…", { error: describeError(error) })`. Messages, reasons and answers reach clients, which must not learn the paths
 * of the server: `GET /v1/events` returns the messages of warnings.
 */
export const describedErrorInLog = {
  meta: {
    type: "problem",
    messages: {
      stack:
        "A stack belongs in the context of a log line: log.error(`… ${errorMessage(error)}`, { error: describeError(error) }).",
    },
    schema: [],
  },
  create(context) {
    return {
      "CallExpression[callee.name='describeError']"(node) {
        if (!isInContextOfLog(node)) context.report({ node, messageId: "stack" });
      },
      // Passed on as a function, its result may go anywhere.
      "CallExpression > Identifier.arguments[name='describeError']"(node) {
        context.report({ node, messageId: "stack" });
      },
    };
  },
};

/** True for the value of a property of an object that is the last argument of a log method. */
function isInContextOfLog(node) {
  let at = node.parent;
  if (at.type !== "Property" || at.value !== node) return false;
  while (["Property", "ObjectExpression", "SpreadElement", "LogicalExpression"].includes(at.type)) {
    const { parent } = at;
    if (parent.type === "CallExpression")
      return parent.arguments.indexOf(at) === parent.arguments.length - 1 && isLogMethod(parent.callee);
    at = parent;
  }
  return false;
}

function isLogMethod(callee) {
  if (callee.type !== "MemberExpression") return false;
  const { computed, property } = callee;
  // `logger[level](…)`
  return computed ? property.name === "level" : LOG_METHODS.has(property.name);
}
