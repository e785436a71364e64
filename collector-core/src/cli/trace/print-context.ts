import type { Run } from "../../analysis/run.js";
import type { CallContext, ContextPart } from "../../api-schema/context.js";
import { whole } from "../../runtime/counted.js";
import { costText, durationText } from "../../share/trace-facts.js";
import { percentText } from "../output/figures.js";
import type { Output } from "../output/output.js";
import { wrapped } from "../output/paragraph.js";
import { safeLine } from "../output/safe-text.js";
import { tableText } from "../output/table.js";

const BAR = 24;

/** Prints what fills the context window of a model call, why its cache was not read, and what it contains twice. */
export function printContext(context: CallContext, run: Run, output: Output): void {
  const { colours } = output;
  const { tokens, window_tokens: window, tokens_cached: cached, parts } = context;
  const number = run.numbers.get(context.span_id);
  const name = run.tree.byId.get(context.span_id)?.span.name ?? context.span_id;
  const facts = [
    ...(context.model === null ? [] : [context.model]),
    `call ${context.call} of ${context.calls_total}${context.agent === null ? "" : ` of ${context.agent}`}`,
    `${whole(tokens)} input tokens${context.tokens_reported ? "" : ", estimated"}`,
    ...(window === null ? [] : [`${percentText(tokens / window)} of ${whole(window)}`]),
    ...(cached === null ? [] : [`${whole(cached)} from the cache`]),
  ];
  output.print(`${colours.bold(`${number === undefined ? "" : `#${number} `}${safeLine(name)}`)}\n`);
  for (const line of wrapped(facts.map(safeLine), " · ", output.columns)) output.print(`${line}\n`);
  output.print("\n");
  const share = (part: ContextPart): number => part.tokens / Math.max(tokens, 1);
  output.print(
    tableText<ContextPart>(
      [
        { title: "PART", text: ({ kind }) => kind },
        { title: "≈ TOKENS", text: ({ tokens: count }) => whole(count), align: "right" },
        { title: "SHARE", text: (part) => percentText(share(part)), align: "right" },
        {
          title: "",
          text: (part) => "█".repeat(Math.max(Math.round(share(part) * BAR), 1)),
          rank: 2,
          colour: () => colours.cyan,
        },
        { title: "ITEMS", text: ({ items }) => whole(items), align: "right" },
        { title: "EQUAL", text: ({ equal_items: equal }) => (equal > 1 ? whole(equal) : ""), align: "right" },
        { title: "DETAIL", text: ({ detail }) => detail ?? "", min: 12, rank: 1 },
      ],
      parts,
      output,
    ),
  );
  const { cache_break: broken, duplicates } = context;
  if (broken !== null) {
    const price = broken.cost_usd === null ? "" : `, ≈ ${costText(broken.cost_usd)}`;
    output.print(
      `\n${colours.bold("Cache")}\n  ${colours.yellow(`Not read beyond token ≈ ${whole(broken.at_token)}: ${broken.cause.replaceAll("_", " ")}, in ${broken.part}, ${durationText(broken.gap_ms)} after the call before. ≈ ${whole(broken.tokens_again)} tokens again${price}.`)}\n`,
    );
    for (const { type, text } of broken.lines)
      if (type !== "same") output.print(`  ${changedLine(type, text, output)}\n`);
  }
  if (duplicates.length > 0) output.print(`\n${colours.bold("Sent several times")}\n`);
  for (const { kind, name: what, times, tokens_each: each, tokens_again: again } of duplicates)
    output.print(
      `  ${safeLine(what)} (${kind}): ${times} times ≈ ${whole(each)} tokens, ≈ ${whole(again)} too many\n`,
    );
}

function changedLine(type: "removed" | "added", text: string, { colours }: Output): string {
  return type === "added" ? colours.green(`+ ${safeLine(text)}`) : colours.red(`- ${safeLine(text)}`);
}
