import { parseRegExpLiteral, visitRegExpAST } from "@eslint-community/regexpp";
import { analyse } from "scslre";

/** Counts from here on are treated as unbounded: each repetition of an ambiguity doubles the work. */
const MANY = 10;

/**
 * Refuses repetitions that can match the same text in several ways, such as `(?:[*~][^\w]{0,2}){200}`. Their time grows
 * exponentially. `regexp/no-super-linear-backtracking` finds them only for quantifiers without an upper bound, so this rule
 * analyses the expression without its bounds.
 */
export const noAmbiguousRepetition = {
  meta: {
    type: "problem",
    docs: { description: "disallow counted repetitions that backtrack exponentially" },
    messages: {
      ambiguous:
        "This repetition can match {{text}} in several ways, and tries all of them. Make its parts disjoint, or scan the text in code.",
    },
    schema: [],
  },
  create(context) {
    return {
      Literal(node) {
        if (!("regex" in node)) return;
        const report = ambiguityOf(node.raw);
        if (report !== undefined) context.report({ node, messageId: "ambiguous", data: { text: report } });
      },
    };
  },
};

/** The text that causes backtracking; undefined if the expression is safe or has no counted repetition. */
function ambiguityOf(literal) {
  const unbounded = withoutBounds(literal);
  if (unbounded === undefined) return undefined;
  const { pattern, flags } = parseRegExpLiteral(unbounded);
  const { reports } = analyse(
    { source: pattern.raw, flags: flags.raw },
    { assumeRejectingSuffix: true, reportTypes: { Move: false } },
  );
  const found = reports.find(({ exponential }) => exponential);
  return found && `/${found.character.literal.source}/`;
}

/** The expression with `*` and `+` instead of large counts, and of optional parts inside a repetition. */
function withoutBounds(literal) {
  const repetitions = [];
  const counted = [];
  visitRegExpAST(parseRegExpLiteral(literal), {
    onQuantifierEnter(quantifier) {
      const { min, max } = quantifier;
      const isInside = repetitions.some((each) => each.max >= MANY);
      if (max !== Infinity && (max >= MANY || (isInside && min !== max))) counted.push(quantifier);
      repetitions.push(quantifier);
    },
    onQuantifierLeave: () => void repetitions.pop(),
  });
  if (counted.length === 0) return undefined;
  // From the end, so that earlier positions stay valid.
  return counted
    .toSorted((a, b) => b.element.end - a.element.end)
    .reduce((source, { element, end, min, greedy }) => {
      const mark = (min === 0 ? "*" : "+") + (greedy ? "" : "?");
      return source.slice(0, element.end) + mark + source.slice(end);
    }, literal);
}
