import type { SpanNode } from "@obspan/collector-core/analysis";
import { Unplug } from "lucide-react";
import { formatCost, formatWhole } from "../../../format.js";
import { CAUSES } from "../detail/context/context-words.js";
import { useCallContext } from "./use-call-context.js";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./frame-costs.module.css";

interface CacheNoteProps {
  readonly node: SpanNode;
  /** Of the run. */
  readonly totalUsd: number;
  readonly onOpenContext: (node: SpanNode) => void;
}

/** Why a call did not read the prompt cache, and what that cost. */
export function CacheNote({ node, totalUsd, onOpenContext }: CacheNoteProps) {
  const broken = useCallContext(node)?.cache_break ?? undefined;
  if (broken === undefined) return null;
  const { cost_usd: cost } = broken;
  return (
    <p className={styles.broken}>
      <Unplug className={iconStyles.small} aria-hidden />
      <span>
        <b>≈ {formatWhole(broken.tokens_again)} tokens were in the cache and were billed again:</b>{" "}
        {CAUSES[broken.cause][1]}.
        {cost !== null && (
          <>
            {" "}
            Costs ≈ {formatCost(cost)}
            {totalUsd > 0 && `, ${Math.round((cost / totalUsd) * 100)} % of the run`}.
          </>
        )}{" "}
        <button type="button" className={textStyles.link} onClick={() => onOpenContext(node)}>
          Open Context
        </button>
      </span>
    </p>
  );
}
