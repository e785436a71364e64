import { CircleAlert } from "lucide-react";
import { useConnection } from "../../../app-context.js";
import { LossList, refusals } from "../loss-list.js";
import { classNames } from "../../../components/class-names.js";
import iconStyles from "../../../components/icon.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./refusals.module.css";

/** Refused spans with the reason: the most likely explanation for an empty list. */
export function Refusals() {
  const ledger = useConnection((connection) => connection.status?.ledger);
  const refused = refusals(ledger);
  if (refused.length === 0) return null;
  return (
    <section className={styles.refused}>
      <header>
        <CircleAlert className={classNames(iconStyles.icon, textStyles.error)} aria-hidden />
        <b>Some spans were refused</b>
        <span className={textStyles.faint}>the response to the sender says which, and why</span>
      </header>
      <LossList losses={refused} />
    </section>
  );
}
