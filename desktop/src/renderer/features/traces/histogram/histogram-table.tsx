import { Table2 } from "lucide-react";
import { Popover } from "radix-ui";
import { formatWhole } from "../../../format.js";
import type { TimeBuckets } from "./time-buckets.js";
import { formatRange } from "./time-labels.js";
import { classNames } from "../../../components/class-names.js";
import { ICON_BUTTON } from "../../../components/icon-button-class.js";
import iconStyles from "../../../components/icon.module.css";
import menuStyles from "../../../components/menu.module.css";
import tableStyles from "../../../components/table.module.css";
import textStyles from "../../../components/text.module.css";
import histogramStyles from "./histogram.module.css";
import styles from "./histogram-table.module.css";

/** The histogram as a table. */
export function HistogramTable({ buckets, nowMs }: { buckets: TimeBuckets; nowMs: number }) {
  const rows = buckets.bars
    .map((bar, index) => ({ ...bar, index }))
    .filter(({ traces }) => traces > 0)
    .toReversed();
  return (
    <Popover.Root>
      <Popover.Trigger className={classNames(ICON_BUTTON, histogramStyles.asTable)} data-tip="Show as table">
        <Table2 className={iconStyles.small} aria-label="Show as table" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={classNames(menuStyles.menu, styles.histogramTable)}
          align="end"
          sideOffset={4}
          aria-label="Traces over time"
        >
          <div
            className={styles.scroll}
            tabIndex={0}
            role="region"
            aria-label="Traces over time, newest first"
          >
            <table>
              <thead>
                <tr>
                  <th scope="col">Started</th>
                  <th scope="col" className={tableStyles.right}>
                    Traces
                  </th>
                  <th scope="col" className={tableStyles.right}>
                    Failed
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ index, traces, errors }) => (
                  <tr key={index}>
                    <th scope="row" className={classNames(textStyles.number, textStyles.dim)}>
                      {formatRange(buckets, index, index + 1, nowMs)}
                    </th>
                    <td className={textStyles.number}>{formatWhole(traces)}</td>
                    <td
                      className={
                        errors > 0
                          ? classNames(textStyles.number, textStyles.error)
                          : classNames(textStyles.number, textStyles.faint)
                      }
                    >
                      {errors > 0 ? formatWhole(errors) : "·"}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
