import { Check, Copy } from "lucide-react";
import { useState, type ReactNode } from "react";

interface CopyButtonProps {
  readonly text: string;
  /** What a screen reader and the tooltip say. */
  readonly name: string;
  readonly className?: string;
  /** Shown before the icon. */
  readonly children?: ReactNode;
}

/** How long the check mark stands in place of the icon. */
const CONFIRMED_MS = 1200;

/** Copies a text, and shows that it did. */
export function CopyButton({ text, name, className, children }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), CONFIRMED_MS);
  }
  return (
    <button
      type="button"
      className={className}
      title={name}
      aria-label={children === undefined ? name : undefined}
      onClick={() => void copy()}
    >
      {children}
      {isCopied ? (
        <Check className="icon xs is-ok" aria-label="Copied" />
      ) : (
        <Copy className="icon xs faint" aria-hidden />
      )}
    </button>
  );
}
