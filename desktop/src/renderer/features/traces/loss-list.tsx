import { ERROR_CATALOGUE, type ErrorCode, type LiveStatus } from "@obspan/collector-core/api-schema";
import { formatWhole } from "../../format.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./loss-list.module.css";

/** Spans that were refused or dropped, for one reason. */
export interface Loss {
  /** The reason as in the metrics, with the HTTP status if there is one. */
  readonly reason: string;
  readonly spans: number;
  /** Explanation; names are in backticks. */
  readonly meaning: string;
}

/** Why accepted spans were dropped (contract 4, "The ledger"). */
const DROPPED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    evicted_oldest: "The queue was full, and the oldest made room: `backpressure.mode` is `drop_oldest`.",
    shutdown: "The collector stopped before it had processed them.",
    internal_error: ERROR_CATALOGUE.internal_error.meaning,
    dead_letter: "No collector could finish their batch: it was put aside in Redis, in `obspan:dead`.",
  }),
);

/** Refused spans by reason; the sender was told. */
export function refusals(ledger: LiveStatus["ledger"] | undefined): readonly Loss[] {
  return losses(ledger?.rejected, (code) => {
    const known = isErrorCode(code) ? ERROR_CATALOGUE[code] : undefined;
    return { reason: known === undefined ? code : `${known.status} ${code}`, meaning: known?.meaning ?? "" };
  });
}

/** Dropped spans by reason. */
export function drops(ledger: LiveStatus["ledger"] | undefined): readonly Loss[] {
  return losses(ledger?.dropped, (reason) => ({ reason, meaning: DROPPED.get(reason) ?? "" }));
}

export function sumOf(all: readonly Loss[]): number {
  return all.reduce((sum, { spans }) => sum + spans, 0);
}

function losses(
  counts: Readonly<Record<string, number>> | undefined,
  describe: (reason: string) => Omit<Loss, "spans">,
): readonly Loss[] {
  return Object.entries(counts ?? {})
    .filter(([, spans]) => spans > 0)
    .map(([reason, spans]) => ({ ...describe(reason), spans }));
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CATALOGUE, code);
}

/** A list of losses, one line each. */
export function LossList({ losses: all }: { losses: readonly Loss[] }) {
  return (
    <div className={styles.losses}>
      {all.map(({ reason, spans, meaning }) => (
        <div className={styles.loss} key={reason}>
          <span className={classNames(textStyles.mono, textStyles.count)}>
            {formatWhole(spans)} {spans === 1 ? "span" : "spans"}
          </span>
          <span className={badgeStyles.error}>{reason}</span>
          <Meaning text={meaning} />
        </div>
      ))}
    </div>
  );
}

/** Renders names in backticks as code. */
function Meaning({ text }: { text: string }) {
  return (
    <span className={textStyles.grow}>
      {text.split("`").map((piece, index) =>
        index % 2 === 0 ? (
          piece
        ) : (
          <span key={index} className={textStyles.mono}>
            {piece}
          </span>
        ),
      )}
    </span>
  );
}
