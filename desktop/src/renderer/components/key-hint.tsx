import textStyles from "./text.module.css";

interface KeyHintProps {
  readonly keys: readonly string[];
  /** The last key of a range that begins with those. */
  readonly to?: string | undefined;
  /** What they do. */
  readonly children: string;
}

/** Keys with what they do, as at the foot of a page. */
export function KeyHint({ keys, to, children }: KeyHintProps) {
  return (
    <span className={textStyles.keys}>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
      {to !== undefined && (
        <>
          –<kbd>{to}</kbd>
        </>
      )}{" "}
      {children}
    </span>
  );
}
