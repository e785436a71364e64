import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import type { SpanEvent } from "@obspan/sdk/wire";
import { Figure } from "../figure.js";
import { millisecondsBetween } from "../model/instant.js";
import { oneLine } from "../model/span-facts.js";
import { inlineJson } from "../model/values.js";
import { JsonCode } from "./code.js";
import { useSpanDetail } from "./span-detail-context.js";

/** What happened at moments of the span. */
export function EventsList() {
  const { span } = useSpanDetail();
  if (span.events.length === 0) return null;
  return (
    <section aria-label="Events">
      <div className="divider">
        Events <span className="count">{span.events.length}</span>
      </div>
      <ul className="events">
        {span.events.map((event, index) => (
          <EventLine key={index} event={event} spanStart={span.start_time} />
        ))}
      </ul>
    </section>
  );
}

function EventLine({ event, spanStart }: { event: SpanEvent; spanStart: string }) {
  const [isOpen, setOpen] = useState(false);
  const attributes = event.attributes ?? {};
  const isEmpty = Object.keys(attributes).length === 0;
  const offsetMs = typeof event.time === "string" ? millisecondsBetween(spanStart, event.time) : undefined;
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isEmpty ? undefined : isOpen}
        disabled={isEmpty}
        onClick={() => setOpen(!isOpen)}
      >
        <Chevron className={isEmpty ? "icon xs hidden" : "icon xs faint"} aria-hidden />
        <b className="cut">{event.name}</b>
        <span className="mono faint cut grow">
          {isEmpty || isOpen ? "" : oneLine(inlineJson(attributes), 160)}
        </span>
        {offsetMs !== undefined && <Figure ms={offsetMs} className="dim" />}
      </button>
      {isOpen && <JsonCode value={attributes} />}
    </li>
  );
}
