import { usePreferences, useStores } from "../../../app-context.js";
import { Resizer } from "../../../components/resizer.js";
import { clampNameWidth, NAME_MIN } from "./name-width.js";
import styles from "./name-resizer.module.css";

/** The divider between the names and the bars. The width is stored. */
export function NameResizer({ width, viewWidth }: { readonly width: number; readonly viewWidth: number }) {
  const { preferences } = useStores();
  const isChosen = usePreferences(({ nameWidth }) => nameWidth !== undefined);
  return (
    <Resizer
      label="Width of the names"
      width={width}
      min={NAME_MIN}
      max={() => clampNameWidth(Number.POSITIVE_INFINITY, viewWidth)}
      side="left"
      isChosen={isChosen}
      className={styles.resizer}
      onResize={(wanted) => {
        const nameWidth = wanted === undefined ? undefined : clampNameWidth(wanted, viewWidth);
        preferences.setState({ nameWidth });
      }}
    />
  );
}
