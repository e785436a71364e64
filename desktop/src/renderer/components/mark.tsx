/** An O cut into three spans that step to the right. */
export function Mark() {
  return (
    <svg viewBox="12 16 104 96" aria-hidden="true">
      <path fill="var(--text-1)" d="M16.34 48A40 40 0 0 1 89.66 48Z" />
      <path fill="var(--accent)" d="M24.81 56H103.19A40 40 0 0 1 103.19 72H24.81A40 40 0 0 1 24.81 56Z" />
      <path fill="var(--text-1)" d="M38.34 80A40 40 0 0 0 111.66 80Z" />
    </svg>
  );
}
