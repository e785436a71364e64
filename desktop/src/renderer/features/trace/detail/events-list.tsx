import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import type { SpanEvent } from "@obspan/sdk/wire";
import {
  inlineJson,
  isTruncated,
  millisecondsBetween,
  oneLine,
  type LongText,
} from "@obspan/collector-core/analysis";
import { Figure } from "../figure.js";
import { JsonCode } from "./code.js";
import { useSpanDetail } from "./span-detail-context.js";
import { classNames } from "../../../components/class-names.js";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./events-list.module.css";
import messagesStyles from "./messages.module.css";

/** The events of the span. */
export function EventsList() {
  const { span } = useSpanDetail();
  if (span.events.length === 0) return null;
  return (
    <section aria-label="Events">
      <div className={messagesStyles.divider}>
        Events <span className={textStyles.count}>{span.events.length}</span>
      </div>
      <ul className={styles.events}>
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
        <Chevron
          className={
            isEmpty
              ? classNames(iconStyles.tiny, styles.hidden)
              : classNames(iconStyles.tiny, textStyles.faint)
          }
          aria-hidden
        />
        <b className={textStyles.cut}>{nameOf(event)}</b>
        <span className={classNames(textStyles.mono, textStyles.faint, textStyles.cut, textStyles.grow)}>
          {isEmpty || isOpen ? "" : oneLine(inlineJson(attributes), 160)}
        </span>
        {offsetMs !== undefined && <Figure ms={offsetMs} className={textStyles.dim} />}
      </button>
      {isOpen && <JsonCode value={attributes} />}
    </li>
  );
}

/** Characters of a name in its line. */
const NAME = 160;

/** A long name arrives as a preview. */
function nameOf({ name }: { readonly name: LongText }): string {
  return oneLine(isTruncated(name) ? name.preview : name, NAME);
}
