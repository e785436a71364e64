import { Table2 } from "lucide-react";
import { Popover } from "radix-ui";
import { formatWhole } from "../../../format.js";
import type { TimeBuckets } from "./time-buckets.js";
import { formatRange } from "./time-labels.js";

/** The same as the bars, in words. */
export function HistogramTable({ buckets, nowMs }: { buckets: TimeBuckets; nowMs: number }) {
  const rows = buckets.bars
    .map((bar, index) => ({ ...bar, index }))
    .filter(({ traces }) => traces > 0)
    .toReversed();
  return (
    <Popover.Root>
      <Popover.Trigger className="btn ghost sm square as-table" title="Show as table">
        <Table2 className="icon sm" aria-label="Show as table" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="menu histogram-table"
          align="end"
          sideOffset={4}
          aria-label="Traces over time"
        >
          <div className="scroll" tabIndex={0} role="region" aria-label="Traces over time, newest first">
            <table>
              <thead>
                <tr>
                  <th scope="col">Started</th>
                  <th scope="col" className="right">
                    Traces
                  </th>
                  <th scope="col" className="right">
                    Errors
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ index, traces, errors }) => (
                  <tr key={index}>
                    <th scope="row" className="num dim">
                      {formatRange(buckets, index, index + 1, nowMs)}
                    </th>
                    <td className="num">{formatWhole(traces)}</td>
                    <td className={errors > 0 ? "num is-error" : "num faint"}>
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
