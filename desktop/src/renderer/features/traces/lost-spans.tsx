import { Popover } from "radix-ui";
import { useConnection } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import { drops, LossList, refusals, sumOf } from "./loss-list.js";

/** Spans that the list does not have since the collector started, with the reasons: nothing where nothing was lost. */
export function LostSpans() {
  const ledger = useConnection((connection) => connection.status?.ledger);
  const refused = refusals(ledger);
  const dropped = drops(ledger);
  if (refused.length + dropped.length === 0) return null;
  return (
    <Popover.Root>
      <Popover.Trigger className="btn ghost sm lost-spans">
        <i className="dot error" aria-hidden />
        {[inWords(sumOf(refused), "refused"), inWords(sumOf(dropped), "dropped")]
          .filter((part) => part !== "")
          .join(", ")}
      </Popover.Trigger>
      <Popover.Content
        className="menu lost-list"
        side="top"
        align="end"
        sideOffset={6}
        collisionPadding={8}
        aria-label="Spans refused or dropped"
      >
        <p className="dim">Since the collector started:</p>
        <LossList losses={[...refused, ...dropped]} />
      </Popover.Content>
    </Popover.Root>
  );
}

function inWords(spans: number, what: string): string {
  return spans === 0 ? "" : `${formatWhole(spans)} ${spans === 1 ? "span" : "spans"} ${what}`;
}
