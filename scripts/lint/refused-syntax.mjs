/** A lint rule that refuses what a selector finds. */
function refuse(selector, message) {
  return {
    meta: { type: "problem", messages: { refused: message }, schema: [] },
    create: (context) => ({ [selector]: (node) => context.report({ node, messageId: "refused" }) }),
  };
}

export const refusedSyntax = {
  // A call accepts about 120,000 arguments; a list from a request may be longer.
  "no-spread-of-lists": refuse(
    "CallExpression[callee.property.name=/^(push|unshift|splice|min|max|fromCharCode|fromCodePoint)$/] > SpreadElement",
    "Spreading a long list into arguments overflows the stack. Use appendAll, or add items one by one.",
  ),
  // `#` fields are private at runtime too; one style for all classes.
  "no-private-modifier": refuse(
    "TSParameterProperty[accessibility=/private|protected/], PropertyDefinition[accessibility=/private|protected/], " +
      "MethodDefinition[accessibility=/private|protected/]",
    "Private members are # fields and # methods.",
  ),
  // A trace may have very many spans.
  "no-bare-span-pages": refuse(
    "ForOfStatement[await=true][right.type='MemberExpression'][right.property.name=/^(spans|received)$/]",
    "A loop over the spans of a trace needs pauses. Use eachSpan.",
  ),
  "no-native-title": refuse(
    "JSXOpeningElement[name.name=/^([a-z]|Link$)/] > JSXAttribute[name.name='title'], " +
      "JSXOpeningElement[name.type='JSXMemberExpression'] > JSXAttribute[name.name='title']",
    "A native title is not shown on keyboard focus and not announced. Use data-tip.",
  ),
  // Its default, a second, is over on a busy machine. That of expect.poll is in the configuration of the tests.
  "no-short-wait": refuse(
    "CallExpression[callee.object.name='vi'][callee.property.name=/^wait(For|Until)$/]:not(:has(Property[key.name='timeout']))",
    "vi.waitFor gives up after a second. Use expect.poll, or give a timeout.",
  ),
  "no-bare-streams": refuse(
    "MemberExpression[object.name='process'][property.name=/^std(out|err)$/]",
    "Writing to a closed stdout or stderr crashes the process. Use logging/terminal.ts.",
  ),
};
