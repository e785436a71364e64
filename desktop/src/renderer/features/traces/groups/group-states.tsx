import type { CollectorError } from "../../../api/collector-api.js";
import { useGroups, useStores } from "../../../app-context.js";
import { RequestFailed } from "../../../components/request-failed.js";
import { formatWhole } from "../../../format.js";
import { Cost, costOfSum } from "../../trace/cost.js";
import { LoadingList } from "../list-states.js";
import textStyles from "../../../components/text.module.css";
import styles from "./group-table.module.css";

/** What the rows do not show: further groups, traces that were not read, and why the groups are not fresh. */
export function GroupsRest() {
  const answer = useGroups((state) => state.answer);
  const failure = useGroups(({ error }) => (error?.code === "unreachable" ? undefined : error?.message));
  if (answer === undefined) return null;
  const { other, unread } = answer;
  if (other === null && unread === 0 && failure === undefined) return null;
  return (
    <div className={styles.rest} role="status">
      {other !== null && (
        <p>
          {formatWhole(other.groups)} more {other.groups === 1 ? "value" : "values"} with{" "}
          {formatWhole(other.runs)} {other.runs === 1 ? "run" : "runs"}
          {other.cost_usd > 0 && (
            <>
              {" · "}
              <Cost cost={costOfSum(other)} />
            </>
          )}
          . Filter to see them.
        </p>
      )}
      {unread > 0 && (
        <p className={textStyles.warn}>
          {formatWhole(unread)} older {unread === 1 ? "trace is" : "traces are"} not in these figures: their
          attributes are too much to read at once. Choose a shorter time.
        </p>
      )}
      {failure !== undefined && <p className={textStyles.error}>{failure}</p>}
    </div>
  );
}

/** Error state of the groups. */
export function GroupsError({ error }: { readonly error: CollectorError }) {
  const { groups } = useStores();
  return (
    <RequestFailed
      title={
        error.code === "invalid_query"
          ? "The traces cannot be grouped like this"
          : "The groups could not be fetched"
      }
      error={error}
      retry={() => void groups.getState().load()}
      loading={<LoadingList />}
    />
  );
}
