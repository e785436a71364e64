import { repeatedMessages, type SpanMessage, type SpanMessages } from "@obspan/collector-core/analysis";
import { useMemo, useState } from "react";
import { Paged } from "../../../components/paged.js";
import { useTracePage } from "../trace-page-context.js";
import { LiveMessage } from "./live-message.js";
import { MessageView } from "./message-view.js";
import { OutputMark } from "./output-mark.js";
import { RepeatedRow } from "./repeated-row.js";
import { useSpanDetail } from "./span-detail-context.js";

export interface ConversationProps {
  readonly messages: SpanMessages;
  readonly isExpanded: boolean;
  /** The answer while it is written. */
  readonly liveText: string | undefined;
}

/** The messages of a span. What a call sent again is one row. */
export default function Conversation({ messages, isExpanded, liveText }: ConversationProps) {
  const { span } = useSpanDetail();
  const { run } = useTracePage();
  const repeated = useMemo(
    () => (span.span_type === "llm" ? repeatedMessages(run, span) : undefined),
    [run, span],
  );
  const [showsRepeated, setShowsRepeated] = useState(isExpanded);
  const isRepeated = ({ key }: SpanMessage): boolean => repeated?.keys.has(key) === true;
  const folded = messages.input.filter(isRepeated).length;
  const isFolded = folded > 1 && !showsRepeated;
  return (
    <>
      {repeated !== undefined && folded > 1 && (
        <RepeatedRow
          count={folded}
          repeated={repeated}
          isOpen={showsRepeated}
          onToggle={() => setShowsRepeated(!showsRepeated)}
        />
      )}
      <Paged
        items={isFolded ? messages.input.filter((message) => !isRepeated(message)) : messages.input}
        name="input messages"
        renderItem={(message) => (
          <MessageView key={message.key} message={message} isOutput={false} isExpanded={isExpanded} />
        )}
      />
      {(liveText !== undefined || isConversation(messages)) && <OutputMark output={messages.output} />}
      {liveText !== undefined && <LiveMessage text={liveText} />}
      <Paged
        items={messages.output}
        name="output messages"
        renderItem={(message) => (
          <MessageView key={message.key} message={message} isOutput isExpanded={isExpanded} />
        )}
      />
    </>
  );
}

/** A plain output needs no divider. */
function isConversation({ output }: SpanMessages): boolean {
  return output.some(({ role }) => role !== "output");
}
