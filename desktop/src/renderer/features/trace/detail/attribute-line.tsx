import { Check, ChevronDown, ChevronRight, Link2 } from "lucide-react";
import { useState, type CSSProperties } from "react";
import {
  inlineJson,
  isLongText,
  isTruncated,
  type LongText,
  oneLine,
  prettyJson,
} from "@obspan/collector-core/analysis";
import { CopyButton } from "../../../components/copy-button.js";
import { useCopy } from "../../../components/use-copy.js";
import { plainText, type AttributeRow } from "../model/attribute-rows.js";
import { LongTextView } from "./long-text.js";
import { useSpanDetail } from "./span-detail-context.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import codeStyles from "../../../components/code.module.css";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import attributesStyles from "./attributes.module.css";

/** Longer texts, and those of several lines, are cut until they are opened. */
const SHORT = 80;

interface AttributeLineProps {
  readonly row: AttributeRow;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** An attribute: nested values open below it, long texts in place. */
export function AttributeLine({ row, isOpen, onToggle }: AttributeLineProps) {
  const { path, name, depth, value, isNested } = row;
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  const style = { "--d": Math.min(depth, 6) } as CSSProperties;
  return (
    <tr>
      <th scope="row" style={style} data-tip={path}>
        {isNested ? (
          <button type="button" className={attributesStyles.key} aria-expanded={isOpen} onClick={onToggle}>
            <Chevron className={iconStyles.tiny} aria-hidden />
            <span className={textStyles.cut}>{name}</span>
          </button>
        ) : (
          <span className={attributesStyles.key}>
            <span className={textStyles.cut}>{name}</span>
          </span>
        )}
      </th>
      <td>
        <div className={attributesStyles.value}>
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
    <span className={classNames(textStyles.mono, textStyles.faint, textStyles.cut, textStyles.grow)}>
      {Array.isArray(value) ? `[${size}] ` : `{${size}} `}
      {oneLine(inlineJson(value), 120)}
    </span>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (isLongText(value)) return <TextLeaf text={value} />;
  const kind = typeof value === "number" ? "number" : "keyword";
  return (
    <span className={classNames(codeStyles.code, textStyles.grow)}>
      <span className={codeStyles[kind]}>{inlineJson(value)}</span>
    </span>
  );
}

function TextLeaf({ text }: { text: LongText }) {
  const [isOpen, setOpen] = useState(false);
  const start = isTruncated(text) ? text.preview : text;
  if (start.length <= SHORT && !start.includes("\n") && !isTruncated(text)) {
    return (
      <span className={classNames(codeStyles.code, textStyles.grow)}>
        {start === "" ? <span className={codeStyles.punctuation}>empty</span> : start}
      </span>
    );
  }
  if (isOpen) {
    return (
      <div className={textStyles.grow}>
        <button type="button" className={buttonStyles.more} aria-expanded onClick={() => setOpen(false)}>
          Show in one line
        </button>
        <LongTextView text={text} kind="code" />
      </div>
    );
  }
  return (
    <button
      type="button"
      className={classNames(codeStyles.code, textStyles.cut, textStyles.grow)}
      aria-expanded={false}
      onClick={() => setOpen(true)}
    >
      {oneLine(start, 200)}
    </button>
  );
}

function CopyButtons({ path, value }: { path: string; value: unknown }) {
  const { isWhole } = useSpanDetail();
  const isCut = isTruncated(value) && !isWhole;
  return (
    <span className={attributesStyles.copies}>
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
      data-tip={`Copy the path ${path}`}
      onClick={() => copy(path)}
    >
      {isCopied ? (
        <Check className={classNames(iconStyles.tiny, textStyles.ok)} aria-label="Copied" />
      ) : (
        <Link2 className={classNames(iconStyles.tiny, textStyles.faint)} aria-hidden />
      )}
    </button>
  );
}
