import { Check, ChevronDown, ChevronRight, Link2 } from "lucide-react";
import { useState, type CSSProperties } from "react";
import { CopyButton } from "../../../components/copy-button.js";
import { useCopy } from "../../../components/use-copy.js";
import { plainText, type AttributeRow } from "../model/attribute-rows.js";
import { oneLine } from "../model/span-facts.js";
import { inlineJson, isLongText, isTruncated, prettyJson, type LongText } from "../model/values.js";
import { LongTextView } from "./long-text.js";
import { useSpanDetail } from "./span-detail-context.js";

/** Texts of more characters, or of several lines, are cut until they are opened. */
const SHORT = 80;

interface AttributeLineProps {
  readonly row: AttributeRow;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A key and its value; what is nested opens below, a long text in place. */
export function AttributeLine({ row, isOpen, onToggle }: AttributeLineProps) {
  const { path, name, depth, value, isNested } = row;
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  const style = { "--d": Math.min(depth, 6) } as CSSProperties;
  return (
    <tr>
      <th scope="row" style={style} title={path}>
        {isNested ? (
          <button type="button" className="key" aria-expanded={isOpen} onClick={onToggle}>
            <Chevron className="icon xs" aria-hidden />
            <span className="cut">{name}</span>
          </button>
        ) : (
          <span className="key">
            <span className="cut">{name}</span>
          </span>
        )}
      </th>
      <td>
        <div className="value">
          {isNested ? <Summary value={value} /> : <Leaf value={value} />}
          <CopyButtons path={path} value={value} />
        </div>
      </td>
    </tr>
  );
}

function Summary({ value }: { value: unknown }) {
  const size = Object.keys(value as object).length;
  return (
    <span className="mono faint cut grow">
      {Array.isArray(value) ? `[${size}] ` : `{${size}} `}
      {oneLine(inlineJson(value), 120)}
    </span>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (isLongText(value)) return <TextLeaf text={value} />;
  const kind = typeof value === "number" ? "n" : "w";
  return (
    <span className="code grow">
      <span className={kind}>{inlineJson(value)}</span>
    </span>
  );
}

function TextLeaf({ text }: { text: LongText }) {
  const [isOpen, setOpen] = useState(false);
  const start = isTruncated(text) ? text.preview : text;
  if (start.length <= SHORT && !start.includes("\n") && !isTruncated(text)) {
    return <span className="code grow">{start === "" ? <span className="p">empty</span> : start}</span>;
  }
  if (isOpen) {
    return (
      <div className="grow">
        <button type="button" className="more" aria-expanded onClick={() => setOpen(false)}>
          Show in one line
        </button>
        <LongTextView text={text} kind="code" />
      </div>
    );
  }
  return (
    <button type="button" className="code cut grow" aria-expanded={false} onClick={() => setOpen(true)}>
      {oneLine(start, 200)}
    </button>
  );
}

function CopyButtons({ path, value }: { path: string; value: unknown }) {
  const { isWhole } = useSpanDetail();
  const isCut = isTruncated(value) && !isWhole;
  return (
    <span className="copies">
      <CopyPath path={path} />
      {!isCut && (
        <CopyButton
          text={isLongText(value) ? plainText(value) : prettyJson(value)}
          name={`Copy the value of ${path}`}
        />
      )}
    </span>
  );
}

function CopyPath({ path }: { path: string }) {
  const { isCopied, copy } = useCopy();
  return (
    <button
      type="button"
      aria-label={`Copy the path ${path}`}
      title={`Copy the path ${path}`}
      onClick={() => copy(path)}
    >
      {isCopied ? (
        <Check className="icon xs is-ok" aria-label="Copied" />
      ) : (
        <Link2 className="icon xs faint" aria-hidden />
      )}
    </button>
  );
}
