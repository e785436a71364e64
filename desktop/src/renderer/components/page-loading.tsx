import type { ReactNode } from "react";
import styles from "./page-loading.module.css";
import textStyles from "./text.module.css";

interface PageLoadingProps {
  /** What is announced. */
  readonly label: string;
  /** Widths of the title and of the line below, in pixels. */
  readonly head: readonly [title: number, line: number];
  /** Widths of the second bar of each row, in per cent of the page. Each another one. */
  readonly bars: readonly number[];
  /** Width of the first bar of each row, in pixels. Default: without it. */
  readonly nameWidth?: number;
  /** Indentation of a row, in pixels. */
  readonly indentOf: (index: number) => number;
  readonly children?: ReactNode;
}

/** Placeholder of a page that loads; the bars are not animated. */
export function PageLoading({ label, head, bars, nameWidth, indentOf, children }: PageLoadingProps) {
  const [title, line] = head;
  return (
    <div className={styles.loading} role="status">
      {children}
      <span className={textStyles.screenReader}>{label}</span>
      <div className={styles.head}>
        <i style={{ width: title }} />
        <i style={{ width: line }} />
      </div>
      {bars.map((width, index) => (
        <div key={width} className={styles.row} style={{ paddingLeft: indentOf(index) }}>
          {nameWidth !== undefined && <i style={{ width: nameWidth }} />}
          <i style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  );
}

/** A tree of named spans: rows of three levels. */
export const SPAN_BARS = {
  bars: [48, 17, 11, 20.5, 31.5, 9, 26, 14.5],
  nameWidth: 140,
  indentOf: (index: number): number => 16 + (index % 3) * 16,
} as const;
