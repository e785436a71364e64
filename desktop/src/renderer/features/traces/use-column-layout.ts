import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { useLayoutEffect, useMemo, useState, type RefObject } from "react";
import { usePreferences, useTraces } from "../../app-context.js";
import { isMultiTenant } from "../../store/traces-state.js";
import { hasOtherDay } from "./days.js";
import { layOutColumns, type ColumnLayout } from "./columns.js";

/** Column layout for the width of the table, the preferences and the rows. */
export function useColumnLayout(
  table: RefObject<HTMLElement | null>,
  rows: readonly TraceSummary[],
): ColumnLayout {
  const tableWidth = useWidth(table);
  const hidden = usePreferences((preferences) => preferences.hiddenColumns);
  const widths = usePreferences((preferences) => preferences.columnWidths);
  const hasScores = useMemo(() => rows.some(({ scores }) => scores.length > 0), [rows]);
  const hasTenants = useTraces(isMultiTenant);
  const hasDays = useMemo(() => hasOtherDay(rows), [rows]);
  return useMemo(
    () => layOutColumns({ tableWidth, hidden, widths, hasScores, hasTenants, hasDays }),
    [tableWidth, hidden, widths, hasScores, hasTenants, hasDays],
  );
}

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(() => window.innerWidth);
  useLayoutEffect(() => {
    if (element.current === null) return;
    setWidth(element.current.clientWidth);
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.round(entry.contentRect.width)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
