import type { TraceSummary } from "../api-schema/trace.js";
import { costOfSum, durationText } from "../share/trace-facts.js";
import type { Colours } from "./output/colours.js";
import { countText } from "./output/figures.js";
import type { Column } from "./output/table.js";

/** Shortest id in a list: it can be typed, and is found again. */
const ID_CHARACTERS = 8;

/**
 * Columns of a list of traces.
 *
 * @param startText - shows when a trace began.
 */
export function traceColumns(
  traces: readonly TraceSummary[],
  colours: Colours,
  startText: (startTime: string) => string,
): Column<TraceSummary>[] {
  const idLength = distinctLength(traces.map(({ trace_id: id }) => id));
  return [
    {
      title: "ID",
      text: ({ trace_id: id }) => shortId(id, idLength),
      width: idLength,
      colour: () => colours.cyan,
    },
    { title: "STARTED", text: ({ start_time: start }) => startText(start), width: 8 },
    {
      title: "STATUS",
      width: 9,
      text: ({ status }) => status.toLowerCase(),
      colour: ({ status }) => statusColour(status, colours),
    },
    { title: "TENANT", text: ({ tenant }) => tenant, min: 8, rank: 6 },
    { title: "NAME", text: ({ root_name: name }) => name, width: 28, min: 12, colour: () => colours.bold },
    { title: "MODEL", text: ({ models }) => listed(models), width: 18, min: 10, rank: 3 },
    {
      title: "ERROR",
      text: ({ error_type: type }) => type ?? "",
      width: 12,
      rank: 4,
      colour: () => colours.red,
    },
    {
      title: "TIME",
      text: ({ duration_ms: ms, running }) => (running && ms === 0 ? "" : durationText(ms)),
      width: 8,
      align: "right",
    },
    { title: "TOKENS", text: tokensText, width: 13, align: "right", rank: 1 },
    {
      title: "COST",
      text: (trace) => costOfSum(trace) ?? "",
      width: 9,
      align: "right",
      rank: 2,
    },
    { title: "SCORES", text: scoresText, min: 10, rank: 5 },
    {
      title: "INPUT",
      text: ({ input_preview: input }) => input ?? "",
      min: 20,
      rank: 7,
      colour: () => colours.dim,
    },
  ];
}

/** The colour of a status, of a trace or a span. */
export function statusColour(status: string, colours: Colours): ((text: string) => string) | undefined {
  switch (status) {
    case "OK":
      return colours.green;
    case "ERROR":
      return colours.red;
    case "RUNNING":
      return colours.yellow;
    case "ABANDONED":
      return colours.dim;
    default:
      return undefined;
  }
}

/** `gpt-4o +1`. */
export function listed([first = "", ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} +${more.length}`;
}

/** `18.0k → 412`. */
export function tokensText(of: { readonly tokens_input: number; readonly tokens_output: number }): string {
  const { tokens_input: input, tokens_output: output } = of;
  return input + output === 0 ? "" : `${countText(input)} → ${countText(output)}`;
}

function scoresText({ scores }: TraceSummary): string {
  return scores.map(({ type, score }) => `${type} ${score.toFixed(2)}`).join(", ");
}

/** The beginning of an id that is made of digits and letters; others are shown as they are. */
export function shortId(id: string, length = ID_CHARACTERS): string {
  return /^[0-9a-f]{16,}$/i.test(id) ? id.slice(0, length) : id;
}

/** How much of ids tells them apart. */
function distinctLength(ids: readonly string[]): number {
  const distinct = new Set(ids).size;
  let length = ID_CHARACTERS;
  while (length < 32 && new Set(ids.map((id) => id.slice(0, length))).size < distinct) length++;
  return length;
}
