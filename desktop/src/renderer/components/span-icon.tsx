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

const ICONS: Readonly<Record<string, LucideIcon>> = {
  llm: Sparkles,
  tool: Wrench,
  agent: Bot,
  task: SquareDashed,
  retrieval: ScanSearch,
  embedding: Binary,
  evaluation: BadgeCheck,
};

/** The class that gives a span type its colour; an unknown type looks like a task. */
export function typeClass(spanType: string): string {
  return spanType in ICONS ? `t-${spanType}` : "t-task";
}

/** The icon of a span type, in its colour. */
export function SpanIcon({ spanType }: { spanType: string }) {
  const Icon = ICONS[spanType] ?? SquareDashed;
  return <Icon className={`icon sm ${typeClass(spanType)}`} aria-label={spanType} />;
}
