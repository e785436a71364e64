import ts from "typescript";

/** What V8 answers with a text that refers to the one it was cut from. */
const CUTTING = new Set(["slice", "substring", "substr", "split", "trim", "trimStart", "trimEnd"]);
const COPYING = new Set(["copyText", "keptText"]);

/**
 * A lint rule for files that keep texts beyond a request: a part that is cut from a text goes through `copyText`
 * (collector-core/src/span/kept-text.ts), or the part keeps the whole text in memory.
 */
export const noUncopiedPart = {
  meta: {
    type: "problem",
    messages: {
      uncopied:
        "A part of a text keeps the whole text in memory: keep it by keptText or copyText, or cut the text by truncateCodePoints.",
    },
    schema: [],
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    return {
      CallExpression(node) {
        const { callee } = node;
        if (callee.type !== "MemberExpression" || !CUTTING.has(callee.property.name)) return;
        if (isText(services.getTypeAtLocation(callee.object)) && !isCopied(node))
          context.report({ node, messageId: "uncopied" });
      },
    };
  },
};

function isText(type) {
  return type.isUnion() ? type.types.every(isText) : (type.flags & ts.TypeFlags.StringLike) !== 0;
}

function isCopied(node) {
  for (let at = node.parent; at !== undefined && !at.type.endsWith("Statement"); at = at.parent)
    if (at.type === "CallExpression" && COPYING.has(at.callee.name)) return true;
  return false;
}
