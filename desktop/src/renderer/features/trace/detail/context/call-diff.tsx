import { compareStepTexts, modelCallOf, type SpanNode } from "@obspan/collector-core/analysis";
import type { CallContext, NormalizedSpan } from "@obspan/collector-core/api-schema";
import { GitCompare } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useStores, useTrace } from "../../../../app-context.js";
import { classNames } from "../../../../components/class-names.js";
import { overlays } from "../../../frame/overlays.js";
import { TextSectionView } from "../../../compare/text-section.js";
import { useTracePage } from "../../trace-page-context.js";
import buttonStyles from "../../../../components/button.module.css";
import iconStyles from "../../../../components/icon.module.css";
import textStyles from "../../../../components/text.module.css";
import styles from "./context.module.css";

/** What the call sent other than a call before, by words: `D` opens it. */
export function CallDiff({ context }: { context: CallContext }) {
  const { tree } = useTracePage();
  const [isOpen, setOpen] = useState(false);
  const before = useMemo(() => tree.byId.get(idBefore(context) ?? ""), [tree, context]);
  const own = tree.byId.get(context.span_id);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "d" || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (overlays.getState().open !== "none") return;
      if (target instanceof Element && target.closest("input, textarea, select") !== null) return;
      event.preventDefault();
      setOpen((isShown) => !isShown);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isOpen) section.current?.scrollIntoView({ block: "start" });
  }, [isOpen]);
  if (before === undefined || own === undefined) return null;
  return (
    <section ref={section} aria-label="Difference from the call before">
      <header className={styles.head}>
        <button
          type="button"
          className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
          aria-expanded={isOpen}
          data-tip={`${isOpen ? "Hide" : "Show"} what differs  D`}
          onClick={() => setOpen(!isOpen)}
        >
          <GitCompare className={iconStyles.icon} aria-hidden />
          Difference from the call before
        </button>
        {isOpen && (
          <span className={classNames(textStyles.faint, textStyles.cut)}>
            A {before.span.name} · B this call
          </span>
        )}
      </header>
      {isOpen && <Sections before={before} own={own} />}
    </section>
  );
}

/** The call that the context is compared with, otherwise the one before of the agent. */
function idBefore({ compared_with: compared, calls, span_id: id }: CallContext): string | undefined {
  return compared ?? calls[calls.findIndex(({ span_id: each }) => each === id) - 1]?.span_id;
}

function Sections({ before, own }: { before: SpanNode; own: SpanNode }) {
  const a = useWhole(before);
  const b = useWhole(own);
  const sections = useMemo(
    () => compareStepTexts(a, b).sections.filter(({ items }) => items.some(({ kind }) => kind !== "same")),
    [a, b],
  );
  if (sections.length === 0) return <p className={styles.note}>Both calls sent and answered the same.</p>;
  return sections.map((section) => <TextSectionView key={section.name} section={section} spanType="llm" />);
}

/** The spans with the texts of a call, in full once they are loaded. */
function useWhole({ id }: SpanNode): readonly NormalizedSpan[] {
  const { trace } = useStores();
  const { run } = useTracePage();
  const whole = useTrace((state) => state.whole);
  const sources = useMemo(() => modelCallOf(run, id)?.sources ?? [], [run, id]);
  useEffect(() => {
    for (const { span_id: each } of sources) void trace.getState().loadWhole(each);
  }, [trace, sources]);
  return useMemo(
    () => sources.map((span) => (Object.hasOwn(whole, span.span_id) ? (whole[span.span_id] ?? span) : span)),
    [sources, whole],
  );
}
