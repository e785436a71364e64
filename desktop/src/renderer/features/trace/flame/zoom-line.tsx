import { ChevronRight, Maximize2, X } from "lucide-react";
import { Fragment } from "react";
import { classNames } from "../../../components/class-names.js";
import { KeyHint } from "../../../components/key-hint.js";
import { useTracePage } from "../trace-page-context.js";
import { amountText, shareText } from "./flame-words.js";
import { framesTo, type FlameModel } from "./use-flame.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./zoom-line.module.css";

/** Ancestors that are shown at each end of a long path. */
const SHOWN = 3;

/** The path of the selected frame, with the one that has the full width. */
export function ZoomLine({ flame, measure, selected, base }: FlameModel) {
  const { view } = useTracePage();
  const { setFlame } = view.getState();
  const path = framesTo(selected);
  const first = path[0];
  const wide = base ?? first;
  const middle = path.length - 2 * SHOWN;
  return (
    <nav className={styles.zoomLine} aria-label="Zoom">
      {path.map((frame, index) => {
        if (middle > 0 && index >= SHOWN && index < SHOWN + middle)
          return index === SHOWN ? <span key="…">… {middle} more</span> : null;
        const { key, name, nodes, total, isComputed } = frame;
        return (
          <Fragment key={key}>
            {index > 0 && <ChevronRight className={iconStyles.tiny} aria-hidden />}
            <button
              type="button"
              className={classNames(frame === wide && styles.base, frame === selected && styles.selected)}
              aria-current={frame === wide ? "true" : undefined}
              data-tip={frame === wide ? "Shown at full width" : "Show at full width"}
              onClick={() => setFlame({ zoomedTo: frame === first ? undefined : key })}
            >
              {frame === wide && <Maximize2 className={iconStyles.tiny} aria-hidden />}
              <span className={textStyles.cut}>{name}</span>
              {nodes.length > 1 && <span>×{nodes.length}</span>}
              <span className={styles.amount}>
                {amountText(total[measure], measure, isComputed)}
                {index > 0 && ` · ${shareText(total, flame.total, measure)}`}
              </span>
            </button>
          </Fragment>
        );
      })}
      <span className={textStyles.grow} />
      {base === undefined || base === first ? (
        <span className={styles.hint} aria-hidden>
          <KeyHint keys={["↵"]}>zoom to it</KeyHint>
        </span>
      ) : (
        <button
          type="button"
          className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
          data-tip="Zoom out  Esc"
          onClick={() => setFlame({ zoomedTo: undefined })}
        >
          <X className={iconStyles.icon} aria-hidden />
          Whole run
        </button>
      )}
    </nav>
  );
}
