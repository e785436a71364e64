import { FoldVertical, UnfoldVertical } from "lucide-react";
import { Suspense, useState } from "react";
import {
  attributesOf,
  messageSources,
  messagesMarkdown,
  type SpanMessages,
} from "@obspan/collector-core/analysis";
import { late } from "../../../components/late.js";
import { CopyButton } from "../../../components/copy-button.js";
import { Segmented } from "../../../components/segmented.js";
import { JsonCode } from "./code.js";
import { ErrorBlock } from "./error-block.js";
import { EventsList } from "./events-list.js";
import { LoadTexts } from "./load-texts.js";
import { useTracePage } from "../trace-page-context.js";
import { useLiveText } from "../../../app-context.js";
import { useSpanDetail } from "./span-detail-context.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import viewBarStyles from "../../../components/view-bar.module.css";
import messagesStyles from "./messages.module.css";

/** Loaded with the first span that is shown: the list of traces does without it. */
export const Conversation = late(async () => (await import("./conversation.js")).default);

/** The span's input and output messages, its error and its events. */
export function MessagesTab({ messages }: { messages: SpanMessages }) {
  const { span } = useSpanDetail();
  const [isRaw, setRaw] = useState(false);
  const [expansion, setExpansion] = useState({ isExpanded: false, version: 0 });
  const count = messages.input.length + messages.output.length;
  const received = useLiveText(span.span_id);
  // The answer of a span that has ended is complete.
  const liveText = span.status === "RUNNING" && messages.output.length === 0 ? received : undefined;
  const toggle = (): void =>
    setExpansion(({ isExpanded, version }) => ({ isExpanded: !isExpanded, version: version + 1 }));
  return (
    <>
      {count > 0 && (
        <div className={classNames(viewBarStyles.viewBar, viewBarStyles.tight)}>
          <span className={textStyles.note}>
            Input {messages.input.length} · Output {messages.output.length}
          </span>
          <span className={textStyles.grow} />
          <CopyButton
            className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
            text={() => messagesMarkdown([...messages.input, ...messages.output])}
            name="Copy all messages as Markdown"
          />
          {!isRaw && (
            <button
              type="button"
              className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
              aria-pressed={expansion.isExpanded}
              onClick={toggle}
            >
              {expansion.isExpanded ? (
                <FoldVertical className={iconStyles.icon} aria-hidden />
              ) : (
                <UnfoldVertical className={iconStyles.icon} aria-hidden />
              )}
              {expansion.isExpanded ? "Collapse all" : "Expand all"}
            </button>
          )}
          <PrettyRaw isRaw={isRaw} onChange={setRaw} />
        </div>
      )}
      <div className={messagesStyles.messages}>
        <ErrorBlock />
        {isRaw ? (
          <>
            <LoadTexts />
            <JsonCode value={messageSources(span)} />
          </>
        ) : (
          <Suspense fallback={null}>
            <Conversation
              key={expansion.version}
              messages={messages}
              isExpanded={expansion.isExpanded}
              liveText={liveText}
            />
          </Suspense>
        )}
        <EventsList />
        {count === 0 && liveText === undefined && <NoMessages />}
      </div>
    </>
  );
}

/** Empty state with a link to the attributes. */
function NoMessages() {
  const { span } = useSpanDetail();
  const { view } = useTracePage();
  const attributes = Object.keys(attributesOf(span)).length;
  if (span.events.length > 0) return null;
  return (
    <p className={textStyles.nothing}>
      This span has no messages.{" "}
      {attributes > 0 && (
        <button
          type="button"
          className={buttonStyles.more}
          onClick={() => view.getState().setTab("attributes")}
        >
          Show its {attributes === 1 ? "attribute" : `${attributes} attributes`}
        </button>
      )}
    </p>
  );
}

const SHOWN_AS = [
  { value: "pretty", content: "Pretty" },
  { value: "raw", content: "Raw" },
] as const;

function PrettyRaw({ isRaw, onChange }: { isRaw: boolean; onChange: (isRaw: boolean) => void }) {
  return (
    <Segmented
      label="How messages are shown"
      choices={SHOWN_AS}
      chosen={isRaw ? "raw" : "pretty"}
      onChoose={(shownAs) => onChange(shownAs === "raw")}
      isSmall
    />
  );
}
