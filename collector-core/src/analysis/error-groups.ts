import type { NormalizedSpan } from "../api-schema/trace.js";
import { isAppFailure, textOf } from "./attributes.js";
import { errorShape } from "./error-shape.js";

/** An example is as long as a line of a wide terminal. */
const EXAMPLE_LENGTH = 500;
/** Places of a group that are named. */
const MAX_PLACES = 5;

/** Failed spans with the same error type and the same shape of their message. */
export interface ErrorGroup {
  readonly shape: string;
  readonly type: string | undefined;
  /** Where they failed: `tool search`, `llm gpt-5`. */
  readonly places: ReadonlySet<string>;
  readonly spans: number;
  readonly traces: number;
  readonly firstTime: string;
  readonly lastTime: string;
  /** The newest of them. */
  readonly example: {
    readonly traceId: string;
    readonly spanId: string;
    readonly name: string;
    readonly message: string;
  };
}

type OpenGroup = { -readonly [Key in keyof ErrorGroup]: ErrorGroup[Key] } & {
  readonly places: Set<string>;
  lastTrace: string;
};

/** Groups the errors of traces. A failed evaluation is no error of the app. */
export class ErrorGroups {
  readonly #groups = new Map<string, OpenGroup>();
  readonly #copy: (text: string) => string;

  /** @param copy - copies a part of a message, which would keep the whole message in memory. Default: it stays a part. */
  constructor(copy: (text: string) => string = (text) => text) {
    this.#copy = copy;
  }

  /** Adds a span if it failed. The spans of a trace are added one after the other. */
  add(span: NormalizedSpan, tenant: string): void {
    if (!isAppFailure(span)) return;
    const type = textOf(span, "error_type");
    const message = textOf(span, "error_message") ?? type ?? `${span.name} failed`;
    const shape = this.#copy(errorShape(message));
    const key = JSON.stringify([type, shape]);
    const { trace_id: traceId, span_id: spanId, start_time: time, name } = span;
    const trace = JSON.stringify([tenant, traceId]);
    const example = { traceId, spanId, name, message: this.#copy(message.slice(0, EXAMPLE_LENGTH)) };
    const group = this.#groups.get(key);
    if (group === undefined) {
      const first = { shape, type, places: new Set([placeOf(span)]), spans: 1, traces: 1 };
      this.#groups.set(key, { ...first, firstTime: time, lastTime: time, example, lastTrace: trace });
      return;
    }
    group.spans++;
    if (group.lastTrace !== trace) group.traces++;
    group.lastTrace = trace;
    if (group.places.size < MAX_PLACES) group.places.add(placeOf(span));
    if (Date.parse(time) < Date.parse(group.firstTime)) group.firstTime = time;
    if (Date.parse(time) < Date.parse(group.lastTime)) return;
    group.lastTime = time;
    group.example = example;
  }

  /** Those in most traces first, then those with most spans, then the newest. */
  list(): readonly ErrorGroup[] {
    return [...this.#groups.values()].toSorted(
      (a, b) => b.traces - a.traces || b.spans - a.spans || Date.parse(b.lastTime) - Date.parse(a.lastTime),
    );
  }
}

function placeOf(span: NormalizedSpan): string {
  const { span_type: type } = span;
  const name =
    type === "tool" ? textOf(span, "tool_name") : type === "llm" ? textOf(span, "model") : undefined;
  return `${type} ${name ?? span.name}`.slice(0, 100);
}
