import type { CallContext, ContextPart } from "@obspan/collector-core/api-schema";
import { classNames } from "../../../../components/class-names.js";
import textStyles from "../../../../components/text.module.css";
import { formatWhole } from "../../../../format.js";
import { itemsText, PART_NAMES } from "./context-words.js";
import styles from "./context.module.css";

/** The window as a bar at true scale, what is in it, and a list of the parts. */
export function WindowParts({ context }: { context: CallContext }) {
  const {
    tokens,
    tokens_reported: isReported,
    tokens_cached: cached,
    window_tokens: window,
    parts,
  } = context;
  const share = window === null || window === 0 ? undefined : tokens / window;
  const broken = context.cache_break;
  return (
    <section aria-label="What fills the window">
      <header className={styles.head}>
        <h2>What fills the window</h2>
        <span className={textStyles.grow} />
        <span className={textStyles.faint}>
          <b className={textStyles.number}>
            {isReported ? "" : "≈ "}
            {formatWhole(tokens)}
          </b>{" "}
          {share === undefined || window === null
            ? "tokens"
            : `of ${formatWhole(window)} tokens · ${percent(share)}`}
        </span>
      </header>
      {share !== undefined && (
        <div className={styles.window} aria-hidden>
          <i style={{ width: `${Math.min(100, share * 100)}%` }} />
        </div>
      )}
      {share !== undefined && (
        <svg className={styles.wedge} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden>
          <path d={`M0 0H${Math.min(100, share * 100)}L100 10H0z`} />
        </svg>
      )}
      <div className={styles.bar} aria-hidden>
        {cached !== null && cached > 0 && (
          <i className={styles.cached} style={{ width: percent(cached / Math.max(1, tokens), 2) }} />
        )}
        {broken !== null && (
          <i className={styles.cut} style={{ left: percent(broken.at_token / Math.max(1, tokens), 2) }} />
        )}
        {parts.map((part) => (
          <span
            key={part.kind}
            className={classNames(styles.segment, styles[part.kind])}
            style={{ flexGrow: part.tokens }}
          >
            <span>{PART_NAMES[part.kind]}</span>
          </span>
        ))}
      </div>
      {parts.length === 1 && parts[0]?.kind === "unknown" ? (
        <p className={styles.note}>
          No text of this request is recorded. Capture prompts in the SDK (<code>capturePrompts</code>), or
          set <code>OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true</code>, to see what fills the
          window.
        </p>
      ) : (
        <ul
          className={styles.legend}
          style={{ gridTemplateRows: `repeat(${Math.ceil(parts.length / 2)}, 22px)` }}
        >
          {parts.map((part) => (
            <Part key={part.kind} part={part} share={part.tokens / Math.max(1, tokens)} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Part({ part, share }: { part: ContextPart; share: number }) {
  const isRepeated = part.equal_items > 1;
  return (
    <li>
      <i className={classNames(styles.dot, styles[part.kind])} aria-hidden />
      <span>{PART_NAMES[part.kind]}</span>
      <span className={classNames(textStyles.cut, isRepeated ? textStyles.warn : textStyles.faint)}>
        {itemsText(part)}
      </span>
      <span className={textStyles.number}>
        <span className={textStyles.faint}>≈</span> {formatWhole(part.tokens)}
      </span>
      <span className={classNames(textStyles.number, textStyles.faint)}>{percent(share)}</span>
    </li>
  );
}

function percent(share: number, digits = 0): string {
  const rounded = (share * 100).toFixed(digits);
  return digits === 0 && share > 0 && rounded === "0" ? "<1 %" : `${rounded}${digits === 0 ? " " : ""}%`;
}
