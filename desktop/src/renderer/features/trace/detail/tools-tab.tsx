import { attributeOf, messagesOf, type SpanMessages } from "@obspan/collector-core/analysis";
import { Paged } from "../../../components/paged.js";
import { classNames } from "../../../components/class-names.js";
import textStyles from "../../../components/text.module.css";
import { JsonCode } from "./code.js";
import { LoadTexts } from "./load-texts.js";
import { useSpanDetail } from "./span-detail-context.js";
import styles from "./tools-tab.module.css";

/** The tools that were offered to the model, and which of them it called. */
export default function ToolsTab() {
  const { span } = useSpanDetail();
  const recorded = attributeOf(span, "tool_definitions");
  const tools: readonly unknown[] = Array.isArray(recorded) ? recorded : [];
  if (tools.length === 0)
    return (
      <p className={classNames(textStyles.nothing, styles.nothing)}>No tools are recorded for this span.</p>
    );
  const calls = callsByName(messagesOf(span));
  return (
    <div className={styles.tools}>
      <LoadTexts />
      <Paged items={tools} name="tools" renderItem={(tool) => <Tool tool={tool} calls={calls} />} />
    </div>
  );
}

function Tool({ tool, calls }: { tool: unknown; calls: ReadonlyMap<string, number> }) {
  const fields = fieldsOf(tool);
  const inner = fields["function"] === undefined ? fields : fieldsOf(fields["function"]);
  const { name, description } = inner;
  const parameters = inner["parameters"] ?? inner["input_schema"] ?? inner["inputSchema"];
  const count = typeof name === "string" ? (calls.get(name) ?? 0) : 0;
  return (
    <details className={styles.tool}>
      <summary>
        <b>{typeof name === "string" ? name : "Tool without a name"}</b>
        {count > 0 && <span className={styles.called}>called {count === 1 ? "once" : `${count} times`}</span>}
        {typeof description === "string" && <span className={textStyles.cut}>{description}</span>}
      </summary>
      {typeof description === "string" && <p>{description}</p>}
      <JsonCode value={parameters ?? tool} />
    </details>
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function callsByName({ output }: SpanMessages): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { parts } of output)
    for (const part of parts)
      if (part.kind === "call") counts.set(part.name, (counts.get(part.name) ?? 0) + 1);
  return counts;
}
