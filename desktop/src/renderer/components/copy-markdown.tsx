import { Check, Copy } from "lucide-react";
import { classNames } from "./class-names.js";
import { useCopy } from "./use-copy.js";
import buttonStyles from "./button.module.css";
import iconStyles from "./icon.module.css";
import textStyles from "./text.module.css";

interface CopyMarkdownProps {
  readonly text: () => string | Promise<string>;
  readonly tip?: string;
  /** Of the words beside the icon. */
  readonly nameClass?: string | undefined;
}

/** Button that copies what a page shows, for a ticket or a coding agent. */
export function CopyMarkdown({ text, tip = "Copy as Markdown", nameClass }: CopyMarkdownProps) {
  const { isCopied, copy } = useCopy();
  return (
    <button
      type="button"
      className={buttonStyles.button}
      aria-label="Copy as Markdown"
      data-tip={tip}
      onClick={() => copy(text())}
    >
      {isCopied ? (
        <Check className={classNames(iconStyles.icon, textStyles.ok)} aria-hidden />
      ) : (
        <Copy className={iconStyles.icon} aria-hidden />
      )}
      <span className={nameClass}>{isCopied ? "Copied" : "Copy as Markdown"}</span>
    </button>
  );
}
