import { typeOf } from "./types.mjs";

/** Methods whose result retains the original string in V8. */
const CUTTING = new Set(["slice", "substring", "substr", "split", "trim", "trimStart", "trimEnd"]);
const COPYING = new Set(["copyText", "keptText"]);

/**
 * A lint rule for files that keep texts beyond a request: a substring must be copied with `copyText`
 * (collector-core/src/span/kept-text.ts), because it would retain the whole text.
 */
export const noUncopiedPart = {
  meta: {
    type: "problem",
    messages: {
      uncopied:
        "A substring retains the whole text in memory. Copy it with keptText or copyText, or use truncateCodePoints.",
    },
    schema: [],
  },
  create(context) {
    return {
      CallExpression(node) {
        const { callee } = node;
        if (callee.type !== "MemberExpression" || !CUTTING.has(callee.property.name)) return;
        if (!isCopied(node) && typeOf(context, callee.object).isText)
          context.report({ node, messageId: "uncopied" });
      },
    };
  },
};

function isCopied(node) {
  for (let at = node.parent; at !== null && !at.type.endsWith("Statement"); at = at.parent)
    if (at.type === "CallExpression" && COPYING.has(at.callee.name)) return true;
  return false;
}
