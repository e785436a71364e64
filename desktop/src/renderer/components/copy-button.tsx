import { Check, Copy } from "lucide-react";
import type { ReactNode } from "react";
import { useCopy } from "./use-copy.js";
import { classNames } from "./class-names.js";
import iconStyles from "./icon.module.css";
import textStyles from "./text.module.css";

interface CopyButtonProps {
  /** A function, if it is costly to make. */
  readonly text: string | (() => string);
  /** What a screen reader and the tooltip say. */
  readonly name: string;
  readonly className?: string | undefined;
  /** Shown before the icon. */
  readonly children?: ReactNode;
}

/** Button that copies a text and confirms it. */
export function CopyButton({ text, name, className, children }: CopyButtonProps) {
  const { isCopied, copy } = useCopy();
  return (
    <button
      type="button"
      className={className}
      data-tip={name}
      aria-label={children === undefined ? name : undefined}
      onClick={() => copy(typeof text === "string" ? text : text())}
    >
      {children}
      {isCopied ? (
        <Check className={classNames(iconStyles.tiny, textStyles.ok)} aria-label="Copied" />
      ) : (
        <Copy className={classNames(iconStyles.tiny, textStyles.faint)} aria-hidden />
      )}
    </button>
  );
}
