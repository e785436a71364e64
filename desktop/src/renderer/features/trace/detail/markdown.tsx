import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { classNames } from "../../../components/class-names.js";
import codeStyles from "../../../components/code.module.css";
import textStyles from "../../../components/text.module.css";
import proseStyles from "./prose.module.css";

/** Only these URLs become links; others are shown as text. */
const OPENED = /^https?:\/\//i;

/**
 * Text from models and tools is not trusted: HTML stays text, images are not fetched, and only HTTP links open.
 * Headings are rendered as paragraphs, because the page has its own outline.
 */
const COMPONENTS: Components = {
  a: ({ href, children }) => {
    if (href === undefined || !OPENED.test(href)) {
      return (
        <>
          {children}
          {href !== undefined && href !== "" && <span className={textStyles.faint}> ({href})</span>}
        </>
      );
    }
    return (
      <a className={textStyles.link} href={href} data-tip={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    );
  },
  img: ({ src, alt }) => (
    <span className={proseStyles.imageNote}>
      [image{alt === undefined || alt === "" ? "" : `: ${alt}`}]{" "}
      {typeof src === "string" && <code>{src}</code>}
    </span>
  ),
  input: ({ checked }) => <span className={textStyles.mono}>{checked === true ? "[x]" : "[ ]"}</span>,
  h1: ({ children }) => <p className={classNames(proseStyles.heading, proseStyles.first)}>{children}</p>,
  h2: ({ children }) => <p className={classNames(proseStyles.heading, proseStyles.first)}>{children}</p>,
  h3: ({ children }) => <p className={proseStyles.heading}>{children}</p>,
  h4: ({ children }) => <p className={proseStyles.heading}>{children}</p>,
  h5: ({ children }) => <p className={proseStyles.heading}>{children}</p>,
  h6: ({ children }) => <p className={proseStyles.heading}>{children}</p>,
  pre: ({ children }) => (
    <pre className={classNames(codeStyles.code, proseStyles.block)} tabIndex={0}>
      {children}
    </pre>
  ),
  table: ({ children }) => (
    <div className={proseStyles.tableWrap} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

const PLUGINS = [remarkGfm];

/** A text with the forms of most answers. */
const SAMPLE =
  "a **b** *c* `d` [e](https://f.g)\n\n- h\n- i\n\n1. j\n\n# k\n\n```\nl\n```\n\n| m | n |\n| - | - |\n| o | p |";

/** Parses a text, because the first one takes several times as long as the next ones. */
export function warmUp(): void {
  ReactMarkdown({ children: SAMPLE, remarkPlugins: PLUGINS, components: COMPONENTS });
}

/** Markdown with tables, without scripts or requests. */
const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className={proseStyles.prose}>
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={(url) => url}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
export default Markdown;
