import {
  BadgeCheck,
  Binary,
  Bot,
  ScanSearch,
  Sparkles,
  SquareDashed,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import { classNames } from "./class-names.js";
import iconStyles from "./icon.module.css";
import spanTypeStyles from "./span-type.module.css";

const ICONS: ReadonlyMap<string, LucideIcon> = new Map(
  Object.entries<LucideIcon>({
    llm: Sparkles,
    tool: Wrench,
    agent: Bot,
    task: SquareDashed,
    retrieval: ScanSearch,
    embedding: Binary,
    evaluation: BadgeCheck,
  }),
);

/** The class that gives a span type its colour; an unknown type looks like a task. */
export function typeClass(spanType: string): string | undefined {
  return (
    (Object.hasOwn(spanTypeStyles, spanType) ? spanTypeStyles[spanType] : undefined) ?? spanTypeStyles.task
  );
}

/** The icon of a span type, in its colour. */
export function SpanIcon({ spanType }: { spanType: string }) {
  const Icon = ICONS.get(spanType) ?? SquareDashed;
  return <Icon className={classNames(iconStyles.small, typeClass(spanType))} aria-label={spanType} />;
}
