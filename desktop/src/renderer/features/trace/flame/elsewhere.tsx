import { textOf, type FlameFrame } from "@obspan/collector-core/analysis";
import { useEffect } from "react";
import { Link } from "wouter";
import { useElsewhere, useStores, useTrace } from "../../../app-context.js";
import { formatWhole } from "../../../format.js";
import type { ElsewhereQuery } from "../../../store/elsewhere-store.js";
import { DEFAULT_VIEW } from "../../../store/stats-store.js";
import { viewAddress } from "../../metrics/stats-address.js";
import { classNames } from "../../../components/class-names.js";
import { Figure } from "../figure.js";
import { StatsLine, type Stat } from "../groups/stats-line.js";
import { modelOf } from "./cost-parts-of.js";
import frameStyles from "./frame-pane.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./frame-costs.module.css";

/** Moving between frames does not ask about every one. */
const SETTLE_MS = 150;

/** How the tool or the model of a frame does in all runs: whether this run is an exception. */
export function Elsewhere({ frame }: { frame: FlameFrame }) {
  const { elsewhere } = useStores();
  const tenant = useTrace((state) => state.tenant);
  const subject = subjectOf(frame);
  const by = subject?.by;
  const value = subject?.value;
  const query = useElsewhere((state) => state.query);
  const figures = useElsewhere((state) => state.figures);
  useEffect(() => {
    if (by === undefined || value === undefined || tenant === undefined) return;
    const timer = setTimeout(() => void elsewhere.getState().open({ by, value, tenant }), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [elsewhere, by, value, tenant]);
  if (by === undefined || value === undefined || query?.by !== by || query.value !== value) return null;
  if (figures === undefined) return null;
  const isModel = by === "model";
  const calls = isModel ? figures.calls : figures.tool_calls;
  const failed = isModel ? figures.call_errors : figures.tool_errors;
  if (calls === 0) return null;
  return (
    <section className={frameStyles.arguments} aria-label="Elsewhere">
      <header>
        <h3>Elsewhere</h3>
        <span className={classNames(textStyles.faint, textStyles.cut)}>all calls of {value}</span>
        <span className={textStyles.grow} />
        <Link
          className={textStyles.link}
          href={viewAddress({ ...DEFAULT_VIEW, groupBy: by, filters: filtersOf(by, value, query.tenant) })}
        >
          Show in Metrics
        </Link>
      </header>
      <div className={styles.later}>
        <StatsLine
          stats={[
            { name: "Calls, last hour", value: formatWhole(calls) },
            ...time("p50", figures.duration_ms.p50),
            ...time("p95", figures.duration_ms.p95),
            {
              name: "Failed",
              value: (
                <>
                  {shareText(failed / calls)}
                  <span className={textStyles.unit}> %</span>
                </>
              ),
            },
          ]}
        />
      </div>
    </section>
  );
}

function subjectOf(frame: FlameFrame): Omit<ElsewhereQuery, "tenant"> | undefined {
  const [first] = frame.nodes;
  const tool = frame.type === "tool" && first !== undefined ? textOf(first.span, "tool_name") : undefined;
  if (tool !== undefined) return { by: "tool_name", value: tool };
  const model = frame.type === "llm" ? modelOf(frame) : undefined;
  return model === undefined ? undefined : { by: "model", value: model };
}

/** The Metrics page shows every tool. */
function filtersOf(by: ElsewhereQuery["by"], value: string, tenant: string) {
  return { ...(by === "model" && { model: value }), ...(tenant !== "" && { tenant }) };
}

function time(name: string, ms: number | null): Stat[] {
  return ms === null ? [] : [{ name, value: <Figure ms={ms} /> }];
}

/** `6.1`, and `0` without failures. */
function shareText(share: number): string {
  return share === 0 ? "0" : (share * 100).toFixed(share < 0.1 ? 1 : 0);
}
