import { ERROR_CATALOGUE, type ErrorCode } from "@obspan/collector-core/contract";
import { CircleAlert } from "lucide-react";
import { useConnection } from "../../../app-context.js";
import { formatWhole } from "../../../format.js";

/** What came and was refused, with the reason: the most likely answer to "why is nothing here?". */
export function Refusals() {
  const rejected = useConnection((connection) => connection.status?.ledger.rejected);
  const reasons = Object.entries(rejected ?? {}).filter(([, spans]) => spans > 0);
  if (reasons.length === 0) return null;
  return (
    <section className="refused">
      <header>
        <CircleAlert className="icon is-error" aria-hidden />
        <b>Spans came and were refused</b>
        <span className="faint">the answer to the sender says which, and why</span>
      </header>
      {reasons.map(([code, spans]) => {
        const known = isErrorCode(code) ? ERROR_CATALOGUE[code] : undefined;
        return (
          <div className="why2" key={code}>
            <span className="mono count">
              {formatWhole(spans)} {spans === 1 ? "span" : "spans"}
            </span>
            <span className="badge error">
              {known?.status} {code}
            </span>
            <Meaning text={known?.meaning ?? ""} />
          </div>
        );
      })}
    </section>
  );
}

/** The names of fields stand between backticks. */
function Meaning({ text }: { text: string }) {
  return (
    <span className="grow">
      {text.split("`").map((piece, index) =>
        index % 2 === 0 ? (
          piece
        ) : (
          <span key={index} className="mono">
            {piece}
          </span>
        ),
      )}
    </span>
  );
}

function isErrorCode(code: string): code is ErrorCode {
  return code in ERROR_CATALOGUE;
}
