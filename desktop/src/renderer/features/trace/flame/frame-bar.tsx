import type { FlameFrame, FrameBox, Measure, Weights } from "@obspan/collector-core/analysis";
import type { ModelPrices } from "@obspan/collector-core/api-schema";
import { SpanIcon, typeClass } from "../../../components/span-icon.js";
import { StatusDot } from "../../../components/status-dot.js";
import { classNames } from "../../../components/class-names.js";
import { amountText, shareText } from "./flame-words.js";
import { frameElementId, ROW } from "./frame-element.js";
import { FrameStrip } from "./frame-strip.js";
import textStyles from "../../../components/text.module.css";
import styles from "./flame-frames.module.css";

interface FrameBarProps {
  readonly box: FrameBox;
  readonly measure: Measure;
  readonly total: Weights;
  readonly prices: ReadonlyMap<string, ModelPrices | null>;
  readonly isSelected: boolean;
  /** Whether the search finds it; undefined without a search. */
  readonly match: "hit" | "miss" | undefined;
  readonly isLive: boolean;
  readonly onChoose: (frame: FlameFrame) => void;
  readonly onOpen: (frame: FlameFrame) => void;
}

/** Narrower frames have no text, no icon, no count, no amount. */
const TEXT_WIDTH = 34;
const COUNT_WIDTH = 76;
const ICON_WIDTH = 92;
const AMOUNT_WIDTH = 150;
/** Texts stand beside a narrower own part: on its edge they are hard to read. */
const OWN_TEXT_WIDTH = 64;
const TEXT_PADDING = 7;

/** A frame: its strong part is its own, its weak part is in its children. */
export function FrameBar(props: FrameBarProps) {
  const { box, measure, total, prices, isSelected, match, isLive, onChoose, onOpen } = props;
  const { frame, left, width, ownWidth, isAround } = box;
  const { name, type, nodes, errors, isRunning } = frame;
  const amount = amountText(frame.total[measure], measure, frame.isComputed);
  const count = nodes.length === 1 ? "" : ` ×${nodes.length}`;
  const words = [
    `${name}${count}`,
    isRunning && measure === "time" ? `${amount} so far` : amount,
    shareText(frame.total, total, measure),
    errors > 0 ? `${errors} failed` : "",
  ].filter((word) => word !== "");
  return (
    <>
      <div
        id={frameElementId(frame)}
        className={classNames(
          styles.frame,
          typeClass(type),
          isSelected && styles.selected,
          isAround && styles.around,
          match && styles[match],
          isLive && isRunning && styles.running,
        )}
        role="treeitem"
        aria-level={frame.depth + 1}
        aria-selected={isSelected}
        aria-label={words.join(", ")}
        data-tip={words.join(" · ")}
        style={{ left, width: width - 1, top: frame.depth * ROW }}
        onClick={() => onChoose(frame)}
        onDoubleClick={() => onOpen(frame)}
      >
        <i className={styles.own} style={{ width: ownWidth }} />
        {width > TEXT_WIDTH && (
          <span
            className={styles.text}
            style={{ paddingRight: TEXT_PADDING + (ownWidth < OWN_TEXT_WIDTH ? ownWidth : 0) }}
          >
            <span className={styles.name}>
              {width > ICON_WIDTH && <SpanIcon spanType={type} />}
              <b className={textStyles.cut}>{name}</b>
              {nodes.length > 1 && width > COUNT_WIDTH && (
                <span className={styles.count}>×{nodes.length}</span>
              )}
              {errors > 0 && width > COUNT_WIDTH && <StatusDot status="ERROR" name={`${errors} failed`} />}
            </span>
            {width > AMOUNT_WIDTH && <span className={styles.amount}>{amount}</span>}
          </span>
        )}
      </div>
      {!isAround && (
        <FrameStrip
          frame={frame}
          measure={measure}
          prices={prices}
          left={left}
          width={width}
          isFaint={match === "miss"}
        />
      )}
    </>
  );
}
