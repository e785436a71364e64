import type { EvaluationSummary } from "@obspan/collector-core/api-schema";
import { ChevronDown, Play } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { Link } from "wouter";
import { useEvaluations, useStores } from "../../app-context.js";
import { MenuMark } from "../../components/menu-mark.js";
import { Segmented } from "../../components/segmented.js";
import { formatCost, formatDuration, formatWhole } from "../../format.js";
import { EVALUATION_WINDOWS, type EvaluationWindow } from "../../store/evaluations-store.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import facetStyles from "../../components/facet.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import pageStyles from "../../components/page.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./evaluation-bar.module.css";

const WINDOWS = Object.keys(EVALUATION_WINDOWS) as EvaluationWindow[];

/** Filters of the evaluations, and figures of the judge. */
export function EvaluationBar({ summary }: { summary: EvaluationSummary }) {
  const { evaluations } = useStores();
  const filters = useEvaluations((state) => state.filters);
  const set = evaluations.getState().setFilters;
  return (
    <div className={pageStyles.bar}>
      <Segmented
        label="Time"
        choices={WINDOWS.map((window) => ({ value: window, content: window }))}
        chosen={filters.window}
        onChoose={(window) => set({ window })}
      />
      <Choice
        name="Type"
        value={filters.type}
        choices={summary.types.map(({ type }) => type)}
        onChoose={(type) => set({ type })}
      />
      <Choice
        name="Agent"
        value={filters.agent}
        choices={summary.by_agent.map(({ value }) => value)}
        onChoose={(agent) => set({ agent })}
      />
      <Choice
        name="Model"
        value={filters.model}
        choices={summary.by_model.map(({ value }) => value)}
        onChoose={(model) => set({ model })}
      />
      <JudgeFacts summary={summary} />
      {summary.evaluation !== null && (
        <Link
          className={classNames(buttonStyles.button, buttonStyles.primary)}
          href="/traces"
          data-tip="Select traces in the list, then Evaluate"
        >
          <Play className={iconStyles.icon} aria-hidden />
          Evaluate a selection
        </Link>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly choices: readonly string[];
  readonly onChoose: (value: string | undefined) => void;
}

function Choice({ name, value, choices, onChoose }: ChoiceProps) {
  const all = value === undefined || choices.includes(value) ? choices : [value, ...choices];
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className={value === undefined ? facetStyles.facet : classNames(facetStyles.facet, facetStyles.on)}
      >
        {name}
        {value !== undefined && <b>{typeText(value)}</b>}
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className={menuStyles.menu} align="start" sideOffset={4} loop>
        {[undefined, ...all].map((choice) => (
          <DropdownMenu.Item
            key={choice ?? ""}
            className={menuStyles.menuItem}
            onSelect={() => onChoose(choice)}
          >
            <MenuMark isChosen={choice === value} />
            {choice === undefined ? "All" : typeText(choice)}
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

function JudgeFacts({ summary: { outcomes, judge, evaluation } }: { summary: EvaluationSummary }) {
  const p95 = judge.p95_ms === null ? undefined : formatDuration(judge.p95_ms);
  return (
    <dl className={styles.judgeFacts}>
      <Fact name="Judged">{formatWhole(outcomes.completed)}</Fact>
      <Fact name="Timeouts" isOff={outcomes.timeout > 0}>
        {formatWhole(outcomes.timeout)}
      </Fact>
      <Fact name="Failed" isOff={outcomes.error > 0}>
        {formatWhole(outcomes.error)}
      </Fact>
      <Fact name="Malformed" isOff={outcomes.malformed > 0}>
        {formatWhole(outcomes.malformed)}
      </Fact>
      {evaluation !== null && <Fact name="Waiting">{formatWhole(evaluation.pending)}</Fact>}
      {p95 !== undefined && (
        <Fact name="Judge p95">
          {p95.value} {p95.unit}
        </Fact>
      )}
      {judge.calls > 0 && <Fact name="Judge cost">{formatCost(judge.cost_usd)}</Fact>}
    </dl>
  );
}

function Fact({
  name,
  isOff = false,
  children,
}: {
  readonly name: string;
  readonly isOff?: boolean;
  readonly children: React.ReactNode;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isOff ? textStyles.warn : undefined}>{children}</dd>
    </div>
  );
}
