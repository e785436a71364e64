import { typeOf } from "./types.mjs";

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
    return {
      MemberExpression({ computed, object, property }) {
        if (!computed || object.type !== "Identifier" || !/^[A-Z][A-Z0-9_]+$/.test(object.name)) return;
        if (!typeOf(context, property).isAnyText) return;
        if (typeOf(context, object).hasTextKeys) context.report({ node: property, messageId: "inherited" });
      },
    };
  },
};
