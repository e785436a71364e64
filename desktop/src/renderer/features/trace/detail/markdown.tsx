import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

/** Only these open; other addresses stand as text beside what they were behind. */
const OPENED = /^https?:\/\//i;

/**
 * What a model or a tool wrote is not trusted: tags stay text, images are not fetched, links lead out only over HTTP.
 * Headings are drawn as paragraphs, for the page has its own outline.
 */
const COMPONENTS: Components = {
  a: ({ href, children }) => {
    if (href === undefined || !OPENED.test(href)) {
      return (
        <>
          {children}
          {href !== undefined && href !== "" && <span className="faint"> ({href})</span>}
        </>
      );
    }
    return (
      <a className="link" href={href} title={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    );
  },
  img: ({ src, alt }) => (
    <span className="image-note">
      [image{alt === undefined || alt === "" ? "" : `: ${alt}`}]{" "}
      {typeof src === "string" && <code>{src}</code>}
    </span>
  ),
  input: ({ checked }) => <span className="mono">{checked === true ? "[x]" : "[ ]"}</span>,
  h1: ({ children }) => <p className="heading first">{children}</p>,
  h2: ({ children }) => <p className="heading first">{children}</p>,
  h3: ({ children }) => <p className="heading">{children}</p>,
  h4: ({ children }) => <p className="heading">{children}</p>,
  h5: ({ children }) => <p className="heading">{children}</p>,
  h6: ({ children }) => <p className="heading">{children}</p>,
  pre: ({ children }) => (
    <pre className="code block" tabIndex={0}>
      {children}
    </pre>
  ),
  table: ({ children }) => (
    <div className="table-wrap" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

const PLUGINS = [remarkGfm];

/** Markdown with tables, without anything that runs or is fetched. */
const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="prose">
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={(url) => url}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
export default Markdown;
