import ts from "typescript";

/**
 * A lint rule for tables: `TABLE[text]` must not look up a text that the compiler does not know. A sender may choose the
 * text, and `constructor` or `__proto__` finds what every object inherits. A `Map` has no such keys.
 */
export const noInheritedLookup = {
  meta: {
    type: "problem",
    messages: {
      inherited:
        "A text such as `constructor` finds what every object inherits. Make the table a Map: new Map(Object.entries({ … })).",
    },
    schema: [],
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    return {
      MemberExpression({ computed, object, property }) {
        if (!computed || object.type !== "Identifier" || !/^[A-Z][A-Z0-9_]+$/.test(object.name)) return;
        if (!isAnyText(services.getTypeAtLocation(property))) return;
        if (hasTextKeys(services.getTypeAtLocation(object)))
          context.report({ node: property, messageId: "inherited" });
      },
    };
  },
};

/** True for a text of any content. */
function isAnyText(type) {
  return type.isUnion() ? type.types.some(isAnyText) : (type.flags & ts.TypeFlags.String) !== 0;
}

function hasTextKeys(type) {
  return type.getStringIndexType() !== undefined;
}
