import { BUILT_IN_TYPES, PARAMETER_TYPES } from "@obspan/collector-core/api-schema";
import { BadgeCheck, ChevronDown } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { TraceKey } from "../api/collector-api.js";
import { useEvaluations, useStores } from "../app-context.js";
import iconStyles from "./icon.module.css";
import menuStyles from "./menu.module.css";
import buttonStyles from "./button.module.css";
import { classNames } from "./class-names.js";

/** Types that need no parameter; the others need one after their colon. */
const PLAIN_TYPES = [
  ...Object.keys(BUILT_IN_TYPES),
  ...Object.entries(PARAMETER_TYPES).flatMap(([name, { usage }]) => (usage === name ? [name] : [])),
];

interface EvaluateMenuProps {
  readonly traces: readonly TraceKey[];
  /** One span of the trace. Without it, all model calls are evaluated. */
  readonly spanId?: string;
  readonly className?: string | undefined;
}

/** Menu that evaluates traces, or one span, with a chosen type. */
export function EvaluateMenu({
  traces,
  spanId,
  className = classNames(buttonStyles.button, buttonStyles.small),
}: EvaluateMenuProps) {
  const { evaluations } = useStores();
  const known = useEvaluations((state) => state.summary?.evaluation?.types);
  const own = (known ?? []).flatMap(({ name, usage }) =>
    usage === name && !PLAIN_TYPES.includes(name) ? [name] : [],
  );
  const over = { traces, ...(spanId === undefined ? {} : { spanId }) };
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={className}>
        <BadgeCheck className={iconStyles.icon} aria-hidden />
        Evaluate
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className={menuStyles.menu} align="end" sideOffset={4} loop>
        {[...own, ...PLAIN_TYPES].map((type) => (
          <DropdownMenu.Item
            key={type}
            className={menuStyles.menuItem}
            onSelect={() => void evaluations.getState().run([type], over)}
          >
            {type.replaceAll("_", " ")}
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
