import type { RefObject } from "react";
import { usePreferences, useStores } from "../../../app-context.js";
import { Resizer } from "../../../components/resizer.js";
import { DEFAULT_PREFERENCES } from "../../../store/preferences-store.js";
import styles from "./pane-resizer.module.css";

/** Smallest width of the pane, and the width that the spans keep. */
const MIN_WIDTH = 400;
const SPANS_WIDTH = 420;

/** The divider between the spans and the selected one. The width is stored. */
export function PaneResizer({ container }: { container: RefObject<HTMLDivElement | null> }) {
  const { preferences } = useStores();
  const width = usePreferences(({ detailWidth }) => detailWidth);

  const maxWidth = (): number => Math.max(MIN_WIDTH, (container.current?.clientWidth ?? 0) - SPANS_WIDTH);
  function resize(wanted: number = DEFAULT_PREFERENCES.detailWidth): void {
    preferences.setState({ detailWidth: Math.round(Math.min(Math.max(wanted, MIN_WIDTH), maxWidth())) });
  }

  return (
    <Resizer
      label="Width of the selected span"
      width={width}
      min={MIN_WIDTH}
      max={maxWidth}
      side="right"
      className={styles.resizer}
      onResize={resize}
    />
  );
}
