import { ChevronsUpDown } from "lucide-react";
import { Segmented } from "../../components/segmented.js";
import { optionText, type OptionSchema } from "../../store/option-text.js";
import { unitOf } from "./model/option-words.js";
import { classNames } from "../../components/class-names.js";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./option.module.css";

interface OptionControlProps {
  readonly id: string;
  readonly name: string;
  /** What the control shows. */
  readonly text: string;
  readonly schema: OptionSchema;
  /** What applies while the text is empty. */
  readonly placeholder: string;
  readonly isSecret: boolean;
  readonly isLocked: boolean;
  readonly isWrong: boolean;
  /** Ids of what describes the option. */
  readonly describedBy: string;
  readonly onChange: (text: string) => void;
}

/** More choices than these are a list. */
const MAX_SEGMENTS = 2;

/** What every control of an option has. */
function commonOf({ id, name, text, isLocked, isWrong, describedBy, onChange }: OptionControlProps) {
  return {
    id,
    "aria-label": name,
    "aria-describedby": describedBy,
    "aria-invalid": isWrong,
    value: text,
    disabled: isLocked,
    onChange: (event: { readonly target: { readonly value: string } }) => onChange(event.target.value),
  };
}

/** The control of an option, by the schema of its values. */
export function OptionControl(props: OptionControlProps) {
  const { id, name, text, schema, isLocked, describedBy, onChange } = props;
  if (schema["type"] === "boolean") {
    const isOn = text === "true";
    return (
      <button
        id={id}
        type="button"
        role="switch"
        className={styles.toggle}
        aria-checked={isOn}
        aria-label={name}
        aria-describedby={describedBy}
        disabled={isLocked}
        onClick={() => onChange(isOn ? "false" : "true")}
      >
        <i />
      </button>
    );
  }
  const choices = schema["enum"];
  if (Array.isArray(choices)) {
    const names = choices.map(optionText);
    if (names.length <= MAX_SEGMENTS && !isLocked)
      return (
        <Segmented
          label={name}
          choices={names.map((value) => ({ value, content: value }))}
          chosen={text}
          onChoose={onChange}
        />
      );
    return <Select {...props} names={names} />;
  }
  return schema["type"] === "object" ? <LongField {...props} /> : <Field {...props} />;
}

function Select({ names, ...props }: OptionControlProps & { readonly names: readonly string[] }) {
  return (
    <span className={classNames(styles.field, styles.select)}>
      <select {...commonOf(props)}>
        {names.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <ChevronsUpDown className={classNames(iconStyles.tiny, textStyles.faint)} aria-hidden />
    </span>
  );
}

function Field(props: OptionControlProps) {
  const { name, text, schema, placeholder, isSecret, isWrong } = props;
  const isNumber = schema["type"] === "integer" || schema["type"] === "number";
  const unit = isNumber ? unitOf(name, text === "" ? placeholder : text) : undefined;
  const className = classNames(
    styles.field,
    styles.wide,
    isNumber && styles.number,
    isWrong ? styles.bad : undefined,
  );
  return (
    <span className={className}>
      <input
        {...commonOf(props)}
        type={isSecret ? "password" : "text"}
        inputMode={isNumber ? "decimal" : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
      />
      {unit !== undefined && <span className={textStyles.unit}>{unit}</span>}
    </span>
  );
}

/** A map, as JSON. */
function LongField(props: OptionControlProps) {
  const { text, placeholder, isWrong, isSecret } = props;
  if (isSecret) return <Field {...props} />;
  return (
    <textarea
      {...commonOf(props)}
      className={classNames(styles.long, isWrong ? styles.bad : undefined)}
      rows={Math.min(8, Math.max(2, text.split("\n").length))}
      spellCheck={false}
      placeholder={placeholder}
    />
  );
}
