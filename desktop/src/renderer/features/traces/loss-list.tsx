import { ERROR_CATALOGUE, type ErrorCode, type LiveStatus } from "@obspan/collector-core/api-schema";
import { formatWhole } from "../../format.js";
import { classNames } from "../../components/class-names.js";
import badgeStyles from "../../components/badge.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./loss-list.module.css";

/** Spans that were not taken, or not kept, for one reason. */
export interface Loss {
  /** As it is called in the metrics, with the status of the answer where there was one. */
  readonly reason: string;
  readonly spans: number;
  /** In words; what stands between backticks is a name. */
  readonly meaning: string;
}

/** Why accepted spans were dropped (contract 4, "The ledger"). */
const DROPPED: Readonly<Record<string, string>> = {
  evicted_oldest: "The queue was full, and the oldest made room: `backpressure.mode` is `drop_oldest`.",
  shutdown: "The collector stopped before it had processed them.",
  internal_error: ERROR_CATALOGUE.internal_error.meaning,
};

/** What was refused, by reason: the sender knows of it. */
export function refusals(ledger: LiveStatus["ledger"] | undefined): readonly Loss[] {
  return losses(ledger?.rejected, (code) => {
    const known = isErrorCode(code) ? ERROR_CATALOGUE[code] : undefined;
    return { reason: known === undefined ? code : `${known.status} ${code}`, meaning: known?.meaning ?? "" };
  });
}

/** What was accepted and lost, by reason. */
export function drops(ledger: LiveStatus["ledger"] | undefined): readonly Loss[] {
  return losses(ledger?.dropped, (reason) => ({ reason, meaning: DROPPED[reason] ?? "" }));
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

/** Losses, a line each. */
export function LossList({ losses: all }: { losses: readonly Loss[] }) {
  return all.map(({ reason, spans, meaning }) => (
    <div className={styles.loss} key={reason}>
      <span className={classNames(textStyles.mono, textStyles.count)}>
        {formatWhole(spans)} {spans === 1 ? "span" : "spans"}
      </span>
      <span className={badgeStyles.error}>{reason}</span>
      <Meaning text={meaning} />
    </div>
  ));
}

/** The names of fields stand between backticks. */
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
