import { BUILT_IN_TYPES, PARAMETER_TYPES } from "@obspan/collector-core/api-schema";
import { BadgeCheck, ChevronDown } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useEvaluations, useStores } from "../app-context.js";
import type { TracesToEvaluate } from "../store/evaluations-store.js";
import iconStyles from "./icon.module.css";
import menuStyles from "./menu.module.css";
import buttonStyles from "./button.module.css";
import { classNames } from "./class-names.js";
import { typeText } from "./type-text.js";

/** Types that need no parameter; the others need one after their colon. */
const PLAIN_TYPES = [
  ...Object.keys(BUILT_IN_TYPES),
  ...Object.entries(PARAMETER_TYPES).flatMap(([name, { usage }]) => (usage === name ? [name] : [])),
];

interface EvaluateMenuProps {
  readonly traces: TracesToEvaluate;
  /** What the button says. */
  readonly label?: string;
  /** One span of the trace. Without it, all model calls are evaluated. */
  readonly spanId?: string;
  readonly className?: string | undefined;
}

/** Menu that evaluates traces, or one span, with a chosen type. */
export function EvaluateMenu({
  traces,
  label = "Evaluate",
  spanId,
  className = classNames(buttonStyles.button, buttonStyles.small),
}: EvaluateMenuProps) {
  const { evaluations } = useStores();
  const known = useEvaluations((state) => state.summary?.evaluation?.types);
  const own = (known ?? []).flatMap(({ name, usage }) =>
    usage === name && !PLAIN_TYPES.includes(name) ? [name] : [],
  );
  const run = (type: string): Promise<void> =>
    evaluations.getState().run([type], { traces, ...(spanId === undefined ? {} : { spanId }) });
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={className}>
        <BadgeCheck className={iconStyles.icon} aria-hidden />
        {label}
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className={menuStyles.menu} align="end" sideOffset={4} loop>
        {[...own, ...PLAIN_TYPES].map((type) => (
          <DropdownMenu.Item key={type} className={menuStyles.menuItem} onSelect={() => void run(type)}>
            {typeText(type)}
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
