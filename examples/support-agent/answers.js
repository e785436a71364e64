/** Prepared answers of the demo provider, by the number of tool results in the conversation. */
export const ANSWERS = [
  {
    deltas: toolCall("call_order", "get_order", { order_id: "48190" }),
    finish_reason: "tool_calls",
    usage: usage(212, 18),
  },
  {
    deltas: toolCall("call_parcel", "get_shipping_status", { tracking: "6C19820047351" }),
    finish_reason: "tool_calls",
    usage: usage(268, 27),
  },
  {
    deltas: words(
      "Your oak desk is at the depot in Lyon, where it has been since Thursday. The carrier plans to deliver it on Monday, six days late: I am sorry for the wait.",
    ),
    finish_reason: "stop",
    usage: usage(331, 41),
  },
];

/** A tool call as a model streams it: the name first, then the arguments in pieces. */
function toolCall(id, name, args) {
  const pieces = JSON.stringify(args).match(/.{1,8}/g);
  return [
    { tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: "" } }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ];
}

function words(text) {
  return text.match(/\S+\s*/g).map((content) => ({ content }));
}

function usage(input, output) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
