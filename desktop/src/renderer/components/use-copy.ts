import { useEffect, useRef, useState } from "react";
import { copyText } from "./copy-text.js";

/** How long the check mark replaces the icon. */
const CONFIRMED_MS = 1200;

/** Copies a text and shows a confirmation for a moment. */
export function useCopy(): {
  readonly isCopied: boolean;
  readonly copy: (text: string | Promise<string>) => void;
} {
  const [isCopied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  async function copy(text: string | Promise<string>): Promise<void> {
    if (!(await copyText(text))) return;
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), CONFIRMED_MS);
  }
  return { isCopied, copy: (text) => void copy(text) };
}
