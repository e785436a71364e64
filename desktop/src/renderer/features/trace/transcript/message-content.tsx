import {
  messageMarkdown,
  roleName,
  textOf,
  type MessageEntry,
  type SpanMessage,
} from "@obspan/collector-core/analysis";
import {
  MessageSquare,
  Sparkles,
  SquareArrowRightEnter,
  SquareArrowRightExit,
  Terminal,
  User,
  Wrench,
} from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { CopyButton } from "../../../components/copy-button.js";
import { Logged } from "./logged.js";
import { TranscriptParts } from "./transcript-parts.js";
import copyStyles from "../../../components/hidden-copy.module.css";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./transcript.module.css";

const ICONS: ReadonlyMap<string, LucideIcon> = new Map([
  ["System", Terminal],
  ["Developer", Terminal],
  ["User", User],
  ["Assistant", Sparkles],
  ["Tool", Wrench],
  ["Input", SquareArrowRightEnter],
  ["Output", SquareArrowRightExit],
]);

/** Who says a message: the input and output of an agent are what a user and a model say. */
function speakerOf({ role, form }: SpanMessage): string {
  if (form === "prose" && role === "input") return "User";
  return form === "prose" && role === "output" ? "Assistant" : roleName(role);
}

/** A message that a call sent for the first time, or the input or output of the run. */
export function MessageContent({ entry }: { entry: MessageEntry }) {
  const { message, node } = entry;
  const name = speakerOf(message);
  const Icon = ICONS.get(name) ?? MessageSquare;
  return (
    <Logged atMs={entry.atMs} level={entry.level} icon={<Icon className={iconStyles.small} aria-hidden />}>
      <header className={styles.head}>
        <b>{name}</b>
        {name === "User" && <span className={textStyles.cut}>{textOf(node.span, "user_id")}</span>}
        <span className={textStyles.grow} />
        <CopyButton
          className={copyStyles.copy}
          text={() => messageMarkdown(message)}
          name="Copy as Markdown"
        />
      </header>
      <TranscriptParts message={message} node={node} isLarge={name === "User"} />
    </Logged>
  );
}
