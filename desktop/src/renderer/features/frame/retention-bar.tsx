import { useEffect, useState } from "react";
import type { ConfigDescription } from "@obspan/collector-core/api-schema";
import { useSettings, useStores } from "../../app-context.js";
import alertBarStyles from "../../components/alert-bar.module.css";
import buttonStyles from "../../components/button.module.css";
import { classNames } from "../../components/class-names.js";
import { desktopBridge } from "../../desktop-bridge.js";
import styles from "./frame.module.css";

const AGE = "trace_store.ttl_seconds";
const SIZE = "trace_store.disk_max_bytes";
const DAY = 24 * 3600;
const GIB = 1024 ** 3;

const AGES: readonly (readonly [number, string])[] = [
  [7 * DAY, "7 days"],
  [14 * DAY, "14 days"],
  [30 * DAY, "30 days"],
  [90 * DAY, "90 days"],
  [0, "as long as they fit"],
];
const SIZES: readonly (readonly [number, string])[] = [1, 5, 10, 50, 100].map((gib) => [
  gib * GIB,
  `${gib} GiB`,
]);

/** Offers once, in the desktop app, to change how long traces are kept. Goes when it is answered. */
export function RetentionBar() {
  const { settings } = useStores();
  const description = useSettings((state) => state.description);
  const failure = useSettings((state) => state.failure);
  const [step, setStep] = useState<"hidden" | "asked" | "saved">("hidden");
  const [age, setAge] = useState("");
  const [size, setSize] = useState("");
  const retention = desktopBridge?.retention;

  useEffect(() => {
    async function offer(): Promise<void> {
      if (retention === undefined || (await retention.isSettled())) return;
      await settings.getState().load();
      const defaults = offered(settings.getState().description);
      if (defaults === undefined) return;
      setAge(String(defaults.age));
      setSize(String(defaults.size));
      setStep("asked");
    }
    void offer();
  }, [retention, settings]);

  async function keep(): Promise<void> {
    const defaults = offered(description);
    const isChanged = age !== String(defaults?.age) || size !== String(defaults?.size);
    if (isChanged) {
      settings.getState().edit(AGE, age);
      settings.getState().edit(SIZE, size);
      await settings.getState().save();
      if (settings.getState().failure !== undefined) return;
    }
    await retention?.settle();
    setStep(isChanged ? "saved" : "hidden");
  }

  if (step === "hidden") return null;
  return (
    <div
      className={classNames(alertBarStyles.bar, alertBarStyles.text, styles.offer)}
      role="region"
      aria-label="How long traces are kept"
    >
      {step === "saved" ? (
        <>
          <span role="status">Saved. The limits hold after a restart.</span>
          <Button onClick={() => void desktopBridge?.restart()}>Restart now</Button>
          <Button onClick={() => setStep("hidden")}>Later</Button>
        </>
      ) : (
        <>
          <label>
            Traces are kept for <Choice choices={AGES} value={age} onChange={setAge} />
          </label>
          <label>
            in at most <Choice choices={SIZES} value={size} onChange={setSize} />
          </label>
          <Button onClick={() => void keep()}>OK</Button>
          {failure !== undefined && <span role="alert">{failure}</span>}
        </>
      )}
    </div>
  );
}

/** The limits that apply; undefined if traces are in memory, or if someone has chosen already. */
function offered(description: ConfigDescription | undefined): { age: unknown; size: unknown } | undefined {
  const config = description?.config;
  const age = config?.[AGE];
  const size = config?.[SIZE];
  const isChosen = age?.source !== "default" || size?.source !== "default";
  if (isChosen || config?.["trace_store.path"]?.value == null || description?.not_writable !== null)
    return undefined;
  return { age: age.value, size: size.value };
}

interface ChoiceProps {
  readonly choices: readonly (readonly [number, string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Choice({ choices, value, onChange }: ChoiceProps) {
  return (
    <select value={value} onChange={(event) => onChange(event.target.value)}>
      {choices.map(([number, words]) => (
        <option key={number} value={number}>
          {words}
        </option>
      ))}
    </select>
  );
}

function Button({ children, onClick }: { children: string; onClick: () => void }) {
  return (
    <button type="button" className={classNames(buttonStyles.button, buttonStyles.small)} onClick={onClick}>
      {children}
    </button>
  );
}
