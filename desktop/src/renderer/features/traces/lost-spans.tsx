import { Popover } from "radix-ui";
import { useConnection } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import { drops, LossList, refusals, sumOf } from "./loss-list.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import menuStyles from "../../components/menu.module.css";
import statusDotStyles from "../../components/status-dot.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./lost-spans.module.css";

/** Spans refused or dropped since the collector started, with the reasons. Hidden if there are none. */
export function LostSpans() {
  const ledger = useConnection((connection) => connection.status?.ledger);
  const refused = refusals(ledger);
  const dropped = drops(ledger);
  if (refused.length + dropped.length === 0) return null;
  return (
    <Popover.Root>
      <Popover.Trigger
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small, styles.lostSpans)}
      >
        <i className={statusDotStyles.error} aria-hidden />
        {[inWords(sumOf(refused), "refused"), inWords(sumOf(dropped), "dropped")]
          .filter((part) => part !== "")
          .join(", ")}
      </Popover.Trigger>
      <Popover.Content
        className={classNames(menuStyles.menu, styles.lostList)}
        side="top"
        align="end"
        sideOffset={6}
        collisionPadding={8}
        aria-label="Spans refused or dropped"
      >
        <p className={textStyles.dim}>Since the collector started:</p>
        <LossList losses={[...refused, ...dropped]} />
      </Popover.Content>
    </Popover.Root>
  );
}

function inWords(spans: number, what: string): string {
  return spans === 0 ? "" : `${formatWhole(spans)} ${spans === 1 ? "span" : "spans"} ${what}`;
}
