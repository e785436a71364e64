import type { GraphNode } from "@obspan/collector-core/analysis";
import { UnfoldHorizontal } from "lucide-react";
import { Paged } from "../../../components/paged.js";
import { SpanIcon } from "../../../components/span-icon.js";
import { classNames } from "../../../components/class-names.js";
import { durationText, formatWhole } from "../../../format.js";
import { useTracePage } from "../trace-page-context.js";
import { nameOf } from "./graph-node.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./loops-list.module.css";

/** What is folded in a node: each can be taken out; a server opens as a whole. */
export function MembersList({ node }: { node: GraphNode }) {
  const { view } = useTracePage();
  const { members } = node;
  if (members.length === 0) return null;
  const { keepNodes, chooseNode } = view.getState();
  return (
    <section className={styles.loops} aria-label="Folded nodes">
      <header>
        <h3>
          {formatWhole(members.length)} folded {members.length === 1 ? "node" : "nodes"}
        </h3>
        <span className={textStyles.grow} />
        {node.kind === "server" && (
          <button
            type="button"
            className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
            onClick={() => keepNodes(members.map(({ id }) => id))}
          >
            <UnfoldHorizontal className={iconStyles.icon} aria-hidden />
            Show them in the graph
          </button>
        )}
      </header>
      <Paged
        items={members}
        name="nodes"
        renderItem={(member) => (
          <button
            type="button"
            className={styles.loop}
            aria-label={`${nameOf(member)}, ${callsOf(member)}, ${durationText(member.totalMs)}`}
            data-tip="Show it in the graph"
            onClick={() => chooseNode(member.id, member.spans[0]?.id)}
          >
            <SpanIcon spanType={member.type} />
            <b className={textStyles.cut}>{nameOf(member)}</b>
            <span className={classNames(textStyles.dim, textStyles.grow)}>{callsOf(member)}</span>
            <span className={textStyles.number}>{durationText(member.totalMs)}</span>
          </button>
        )}
      />
    </section>
  );
}

function callsOf({ count }: GraphNode): string {
  return `${formatWhole(count)} ${count === 1 ? "call" : "calls"}`;
}
