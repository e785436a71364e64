import { oneLine, type SpanMessage } from "@obspan/collector-core/analysis";
import { ArrowDown } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { classNames } from "../../../components/class-names.js";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import messagesStyles from "./messages.module.css";

const LENGTH = 120;

/** The head of the output. While the output is below what is visible, it stays at the bottom and leads there. */
export function OutputMark({ output }: { output: readonly SpanMessage[] }) {
  const place = useRef<HTMLDivElement>(null);
  const [isBelow, setBelow] = useState(false);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        const bottom = entry?.rootBounds?.bottom;
        setBelow(bottom !== undefined && entry !== undefined && entry.boundingClientRect.top >= bottom - 1);
      },
      { root: current.closest("[role=tabpanel]") },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <>
      <div ref={place} />
      {isBelow ? (
        <button
          type="button"
          className={classNames(messagesStyles.divider, messagesStyles.pinned)}
          onClick={() => place.current?.scrollIntoView({ block: "start" })}
        >
          <b>Output</b>
          <span className={classNames(textStyles.cut, textStyles.grow)}>{previewOf(output)}</span>
          <ArrowDown className={iconStyles.small} aria-hidden />
        </button>
      ) : (
        <div className={messagesStyles.divider}>Output</div>
      )}
    </>
  );
}

/** The first words, or the tools that are called. */
function previewOf(output: readonly SpanMessage[]): string {
  for (const { parts } of output)
    for (const part of parts) {
      if (part.kind === "text")
        return oneLine(typeof part.text === "string" ? part.text : part.text.preview, LENGTH);
      if (part.kind === "call") return `→ ${part.name}`;
    }
  return "";
}
