import {
  MessageSquare,
  Sparkles,
  SquareArrowRightEnter,
  SquareArrowRightExit,
  Terminal,
  User,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import { useState } from "react";
import {
  lengthOf,
  messageMarkdown,
  numberOf,
  textOf,
  type SpanMessage,
} from "@obspan/collector-core/analysis";
import type { NormalizedSpan } from "@obspan/collector-core/api-schema";
import { CopyButton } from "../../../components/copy-button.js";
import { Paged } from "../../../components/paged.js";
import { formatWhole } from "../../../format.js";
import { PartView } from "./part-view.js";
import { useSpanDetail } from "./span-detail-context.js";
import { classNames } from "../../../components/class-names.js";
import copyStyles from "../../../components/hidden-copy.module.css";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import messagesStyles from "./messages.module.css";

interface Role {
  readonly name: string;
  readonly icon: LucideIcon;
}

const ROLES: ReadonlyMap<string, Role> = new Map([
  ["system", { name: "System", icon: Terminal }],
  ["developer", { name: "Developer", icon: Terminal }],
  ["user", { name: "User", icon: User }],
  ["assistant", { name: "Assistant", icon: Sparkles }],
  ["model", { name: "Assistant", icon: Sparkles }],
  ["tool", { name: "Tool", icon: Wrench }],
  ["input", { name: "Input", icon: SquareArrowRightEnter }],
  ["output", { name: "Output", icon: SquareArrowRightExit }],
]);

interface MessageViewProps {
  readonly message: SpanMessage;
  readonly isOutput: boolean;
  readonly isExpanded: boolean;
}

/** One message with its role and parts. A long system prompt is folded. */
export function MessageView({ message, isOutput, isExpanded }: MessageViewProps) {
  const { span } = useSpanDetail();
  const { name, icon: Icon } = ROLES.get(message.role.toLowerCase()) ?? {
    name: message.role,
    icon: MessageSquare,
  };
  const length = systemLength(message);
  const [isOpen, setOpen] = useState(isExpanded);
  const isFoldable = length !== undefined && length.amount > CLAMPED;
  return (
    <article
      className={
        isOutput ? classNames(messagesStyles.message, messagesStyles.output) : messagesStyles.message
      }
    >
      <header>
        <Icon className={iconStyles.icon} aria-hidden />
        <b>{name}</b>
        {length !== undefined && (
          <span>
            {formatWhole(length.amount)} {length.unit}
          </span>
        )}
        <Aside span={span} role={message.role} isOutput={isOutput} finishReason={message.finishReason} />
        <span className={textStyles.grow} />
        <CopyButton
          className={copyStyles.copy}
          text={() => messageMarkdown(message)}
          name="Copy as Markdown"
        />
        {isFoldable && (
          <button
            type="button"
            className={buttonStyles.more}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? "Show less" : "Show all"}
          </button>
        )}
      </header>
      <div className={isFoldable && !isOpen ? messagesStyles.clamp : undefined}>
        <Paged
          items={message.parts}
          name="parts"
          renderItem={(part) => (
            <PartView part={part} form={message.form} isExpanded={isExpanded} isOutput={isOutput} />
          )}
        />
      </div>
    </article>
  );
}

/** About two lines. */
const CLAMPED = 160;

/** The length of a system prompt; it shows how much of the context it uses. */
function systemLength({ role, parts }: SpanMessage): ReturnType<typeof lengthOf> | undefined {
  const [part] = parts;
  if (role !== "system" || parts.length !== 1 || part?.kind !== "text") return undefined;
  return lengthOf(part.text);
}

interface AsideProps {
  readonly span: NormalizedSpan;
  readonly role: string;
  readonly isOutput: boolean;
  readonly finishReason: string | undefined;
}

/** Facts about a message besides its text. */
function Aside({ span, role, isOutput, finishReason }: AsideProps) {
  if (role === "user") return <span className={textStyles.cut}>{textOf(span, "user_id")}</span>;
  if (!isOutput || role === "output") return null;
  const tokens = numberOf(span, "tokens_output");
  const spanReason = textOf(span, "finish_reason");
  const notes = [
    tokens === undefined ? undefined : `${formatWhole(tokens)} tokens`,
    tokensPerSecond(span, tokens),
    finishReason === undefined || finishReason === spanReason ? undefined : `ended with ${finishReason}`,
  ];
  return <span className={textStyles.cut}>{notes.filter((note) => note !== undefined).join(" · ")}</span>;
}

/** Output speed after the first token. */
function tokensPerSecond(span: NormalizedSpan, tokens: number | undefined): string | undefined {
  const ms = (span.duration_ms ?? 0) - (numberOf(span, "ttft_ms") ?? 0);
  if (tokens === undefined || tokens === 0 || ms < 1) return undefined;
  return `${formatWhole(Math.round((tokens / ms) * 1000))} tokens/s`;
}
