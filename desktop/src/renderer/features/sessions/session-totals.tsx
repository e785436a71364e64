import { useSessions } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import { Cost } from "../trace/cost.js";
import textStyles from "../../components/text.module.css";

/** The sessions of the list, added up. */
export function SessionTotals() {
  const rows = useSessions((state) => state.rows);
  const hasMore = useSessions((state) => state.nextCursor !== null);
  if (rows.length === 0) return null;
  const running = rows.filter((row) => row.running).length;
  const failed = rows.filter(({ errors }) => errors > 0).length;
  const usd = rows.reduce((sum, { cost_usd: cost }) => sum + cost, 0);
  const isComputed = rows.some(({ cost_source: source }) => source === "computed");
  const more = hasMore ? "+" : "";
  return (
    <span className={textStyles.keys}>
      {formatWhole(rows.length)}
      {more} {rows.length === 1 ? "session" : "sessions"}
      {running > 0 && ` · ${formatWhole(running)} running`}
      {failed > 0 && ` · ${formatWhole(failed)}${more} with errors`}
      {usd > 0 && (
        <>
          {" · "}
          <Cost cost={{ usd, isComputed }} />
          {more}
        </>
      )}
    </span>
  );
}
