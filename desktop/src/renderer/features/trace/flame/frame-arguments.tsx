import { parseJsonText, prettyJson, truncatedBytes, type SpanNode } from "@obspan/collector-core/analysis";
import { CopyButton } from "../../../components/copy-button.js";
import { formatWhole } from "../../../format.js";
import { JsonCode } from "../detail/code.js";
import { useTracePage } from "../trace-page-context.js";
import textStyles from "../../../components/text.module.css";
import styles from "./frame-pane.module.css";

/** The arguments of the selected call of a tool, and in how many calls they are the same. */
export function FrameArguments({ node }: { node: SpanNode }) {
  const { run } = useTracePage();
  const use = run.uses.find((each) => each.node === node);
  if (use?.arguments === undefined) return null;
  const { arguments: sent } = use;
  const value = (typeof sent === "string" ? parseJsonText(sent) : undefined) ?? sent;
  const same = run.repeatsBySpan.get(node.id)?.count;
  return (
    <section className={styles.arguments} aria-label="Arguments">
      <header>
        <h3>Arguments</h3>
        {same !== undefined && (
          <span className={textStyles.faint}>the same in {formatWhole(same)} calls</span>
        )}
        <span className={textStyles.grow} />
        {truncatedBytes(value) === 0 && (
          <CopyButton text={() => prettyJson(value)} name="Copy the arguments" />
        )}
      </header>
      <JsonCode value={value} />
    </section>
  );
}
