/** Joins class names; conditions that are false leave nothing behind. */
export function classNames(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
