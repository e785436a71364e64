import { Component, Suspense, useEffect, useMemo, useState, type ReactNode } from "react";
import { markdownChunks } from "../model/markdown-chunks.js";
import { late } from "../../../components/late.js";
import { PlainText } from "./code.js";

/** Loaded with the first text. */
const Markdown = late(async () => (await import("./markdown.js")).default);

/** Loads the parser and runs it once, while nothing else happens. */
export function preloadMarkdown(): void {
  Markdown.preload();
  // If it fails, it is loaded when it is shown.
  void import("./markdown.js").then(({ warmUp }) => warmUp()).catch(() => undefined);
}

/** Markdown of any length, parsed chunk by chunk so that the page stays responsive. */
export function MarkdownText({ text }: { text: string }) {
  const chunks = useMemo(() => markdownChunks(text), [text]);
  const [count, setCount] = useState(1);
  useEffect(() => {
    if (count >= chunks.length) return;
    const timer = setTimeout(() => setCount(count + 1));
    return () => clearTimeout(timer);
  }, [count, chunks]);
  return chunks.slice(0, count).map(({ text: piece, isPlain }, index) => {
    const plain = <PlainText text={piece} />;
    if (isPlain) return <div key={index}>{plain}</div>;
    return (
      <PlainOnError key={index} plain={plain}>
        <Suspense fallback={plain}>
          <Markdown text={piece} />
        </Suspense>
      </PlainOnError>
    );
  });
}

/** Shows the plain text if the Markdown parser fails. */
class PlainOnError extends Component<{ plain: ReactNode; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.plain : this.props.children;
  }
}
