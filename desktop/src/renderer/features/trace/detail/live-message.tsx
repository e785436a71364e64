import { Sparkles } from "lucide-react";
import { classNames } from "../../../components/class-names.js";
import { StatusDot } from "../../../components/status-dot.js";
import { useStickToEnd } from "../hooks/use-stick-to-end.js";
import { PlainText } from "./code.js";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import messagesStyles from "./messages.module.css";

/**
 * The answer of a model while it is written. It is plain text: Markdown that is not complete would change its form with every
 * word. Screen readers do not announce each change; they read the text on request.
 */
export function LiveMessage({ text }: { text: string }) {
  const element = useStickToEnd<HTMLElement>(text, "[role=tabpanel]");
  return (
    <article
      ref={element}
      className={classNames(messagesStyles.message, messagesStyles.output)}
      aria-label="Assistant, still writing"
      aria-busy
      aria-live="off"
    >
      <header>
        <Sparkles className={iconStyles.icon} aria-hidden />
        <b>Assistant</b>
        <StatusDot status="RUNNING" name="running" />
        <span className={textStyles.cut}>writing</span>
      </header>
      <PlainText text={text} />
    </article>
  );
}
