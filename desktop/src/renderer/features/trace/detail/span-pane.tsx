import { lazy, Suspense, useMemo, type KeyboardEvent, type ReactNode } from "react";
import { attributesOf, messagesOf, type SpanMessages, type SpanNode } from "@obspan/collector-core/analysis";
import { Part } from "../part.js";
import { TABS, type TabName } from "../trace-address.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";
import { useContextOfCall, useTrace } from "../../../app-context.js";
import { findingsIn } from "../../../store/context-store.js";
import { AttributesTab } from "./attributes-tab.js";
import { useReadContext } from "./context/use-read-context.js";
import { EvaluationsTab, evaluationsOf } from "./evaluations-tab.js";
import { MessagesTab } from "./messages-tab.js";
import { RawTab } from "./raw-tab.js";
import { SpanDetailProvider, useSpanDetail } from "./span-detail-context.js";
import { SpanHead, type SpanLink } from "./span-head.js";
import tabsStyles from "../../../components/tabs.module.css";
import textStyles from "../../../components/text.module.css";
import { classNames } from "../../../components/class-names.js";
import styles from "./span-pane.module.css";

/** Loaded when they are opened. */
const ContextTab = lazy(() => import("./context/context-tab.js"));
const ToolsTab = lazy(() => import("./tools-tab.js"));

const TAB_NAMES: Readonly<Record<TabName, string>> = {
  messages: "Messages",
  context: "Context",
  tools: "Tools",
  evaluations: "Evaluations",
  attributes: "Attributes",
  raw: "Raw",
};

interface SpanPaneProps {
  readonly node: SpanNode;
  readonly link: SpanLink;
}

/** The selected span. */
export function SpanPane({ node, link }: SpanPaneProps) {
  return (
    <SpanDetailProvider node={node}>
      <Parts link={link} />
    </SpanDetailProvider>
  );
}

function Parts({ link }: Pick<SpanPaneProps, "link">) {
  const { span } = useSpanDetail();
  return (
    <>
      <Part name="The head of this span" resetKey={span}>
        <SpanHead link={link} />
      </Part>
      <Tabs />
    </>
  );
}

function Tabs() {
  const { span } = useSpanDetail();
  const tab = useTraceView((state) => state.tab);
  const messages = useMemo(() => attempt(() => messagesOf(span)), [span]);
  const spans = useTrace((state) => state.spans);
  const evaluations = useMemo(() => attempt(() => evaluationsOf(spans, span)), [spans, span]);
  useReadContext();
  const findings = useContextOfCall((state) =>
    state.spanId === span.span_id && state.context !== undefined ? findingsIn(state.context) : undefined,
  );
  const tools = attributesOf(span)["tool_definitions"];
  const counts: Readonly<Record<TabName, number | undefined>> = {
    context: findings,
    tools: Array.isArray(tools) ? tools.length : undefined,
    messages: messages.value && messages.value.input.length + messages.value.output.length,
    evaluations: evaluations.value?.length,
    attributes: Object.keys(attributesOf(span)).length,
    raw: undefined,
  };
  return (
    <>
      <TabList tab={tab} counts={counts} />
      {tab === "messages" && (
        <TabPanel tab={tab}>
          <Messages read={messages} />
        </TabPanel>
      )}
      {tab === "context" && (
        <TabPanel tab={tab}>
          <Suspense fallback={null}>
            <ContextTab />
          </Suspense>
        </TabPanel>
      )}
      {tab === "tools" && (
        <TabPanel tab={tab}>
          <Suspense fallback={null}>
            <ToolsTab />
          </Suspense>
        </TabPanel>
      )}
      {tab === "evaluations" && (
        <TabPanel tab={tab}>
          <EvaluationsTab />
        </TabPanel>
      )}
      {tab === "attributes" && (
        <TabPanel tab={tab}>
          <AttributesTab />
        </TabPanel>
      )}
      {tab === "raw" && (
        <TabPanel tab={tab}>
          <RawTab />
        </TabPanel>
      )}
    </>
  );
}

/** What reading a part of the span gave, or what it threw. */
type Attempt<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: unknown };

/** Lets one tab fail where it is drawn and not where the tabs are counted. */
function attempt<T>(read: () => T): Attempt<T> {
  try {
    return { value: read() };
  } catch (error) {
    return { error };
  }
}

function Messages({ read }: { read: Attempt<SpanMessages> }) {
  if (read.value === undefined) throw read.error;
  return <MessagesTab messages={read.value} />;
}

/** The ARIA tab pattern: one tab stop, arrow keys choose. */
function TabList({ tab, counts }: { tab: TabName; counts: Readonly<Record<TabName, number | undefined>> }) {
  const { view } = useTracePage();
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab;
    view.getState().setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
    event.preventDefault();
  }
  return (
    <div className={tabsStyles.tabs} role="tablist" aria-label="Selected span" onKeyDown={onKeyDown}>
      {TABS.map((name, index) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === tab}
          aria-controls={name === tab ? `panel-${name}` : undefined}
          tabIndex={name === tab ? 0 : -1}
          data-tip={`${TAB_NAMES[name]}  ⇧${index + 1}`}
          onClick={() => view.getState().setTab(name)}
        >
          {TAB_NAMES[name]}
          {counts[name] !== undefined && (
            <span
              className={classNames(
                textStyles.count,
                name === "context" && counts[name] > 0 && styles.findings,
              )}
            >
              {counts[name]}
            </span>
          )}
        </button>
      ))}
    </div>
  );
}

function TabPanel({ tab, children }: { tab: TabName; children: ReactNode }) {
  const { span } = useSpanDetail();
  return (
    <div
      id={`panel-${tab}`}
      className={styles.tabPanel}
      role="tabpanel"
      aria-labelledby={`tab-${tab}`}
      tabIndex={0}
    >
      <Part name="This tab" resetKey={span}>
        {children}
      </Part>
    </div>
  );
}
