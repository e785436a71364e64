import { byteSizeText } from "@obspan/collector-core/api-schema";
import { Popover } from "radix-ui";
import { useConnection } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import { isInMemory, keptSince, limitsText, type StoreStatus } from "../../components/store-words.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import menuStyles from "../../components/menu.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./store-use.module.css";

/** How much is kept, since when and where. */
export function StoreUse() {
  const store = useConnection(({ status }) => status?.store);
  if (store == null) return null;
  return (
    <>
      {isInMemory(store) && store.state === "ok" && <MemoryNotice />}
      <Use {...store} />
    </>
  );
}

function Use(store: StoreStatus) {
  const since = keptSince(store.oldest_at, new Date());
  const size = byteSizeText(store.disk_bytes ?? store.bytes);
  return (
    <span className={styles.use} data-tip={limitsText(store)}>
      <span className={textStyles.number}>{formatWhole(store.traces)}</span>
      {store.max_traces !== null && ` of ${formatWhole(store.max_traces)}`}{" "}
      {store.traces === 1 && store.max_traces === null ? "trace" : "traces"}
      {since !== undefined && (
        <>
          {" "}
          since <span className={textStyles.number}>{since}</span>
        </>
      )}{" "}
      · <span className={textStyles.number}>{formatWhole(store.spans)}</span>{" "}
      {store.spans === 1 ? "span" : "spans"} · <span className={textStyles.number}>{size}</span>
      {store.disk_max_bytes !== null && ` of ${byteSizeText(store.disk_max_bytes)} on disk`}
    </span>
  );
}

/** Says that a stop loses the traces, and how to keep them. */
function MemoryNotice() {
  return (
    <Popover.Root>
      <Popover.Trigger
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small, styles.notice)}
      >
        Kept in memory: lost when the collector stops
      </Popover.Trigger>
      <Popover.Content
        className={classNames(menuStyles.menu, styles.advice)}
        side="top"
        align="end"
        sideOffset={6}
        collisionPadding={8}
        aria-label="How to keep traces"
      >
        <p>
          To keep traces, start the collector with{" "}
          <span className={textStyles.mono}>obspan serve --local</span>, or set{" "}
          <span className={textStyles.mono}>trace_store.path</span> to a directory.
        </p>
      </Popover.Content>
    </Popover.Root>
  );
}
