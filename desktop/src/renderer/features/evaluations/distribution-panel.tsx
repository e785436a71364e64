import { isPastThreshold, type EvaluationSummary } from "@obspan/collector-core/api-schema";
import { ChevronDown } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useRef, useState } from "react";
import { useElementWidth } from "../../components/use-element-width.js";
import { MenuMark } from "../../components/menu-mark.js";
import { formatScore, formatWhole } from "../../format.js";
import { typeText } from "../../components/type-text.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import panelStyles from "../../components/panel.module.css";
import textStyles from "../../components/text.module.css";
import chartStyles from "./chart.module.css";
import evaluationsPageStyles from "./evaluations-page.module.css";

const LEAST_WIDTH = 200;
/** Left and right of the plot. */
const PADDING = 24;
const HEIGHT = 190;
const BOTTOM = 168;
const TALLEST = 150;

/** Histogram of the scores of one type in ten bins; bins past the threshold are coloured. */
export function DistributionPanel({ summary }: { summary: EvaluationSummary }) {
  const [chosen, setChosen] = useState<string>();
  const plot = useRef<HTMLDivElement>(null);
  const width = Math.max(LEAST_WIDTH, useElementWidth(plot) - PADDING);
  // The type with the most scores past its threshold is the most interesting one.
  const worst = summary.types.toSorted((a, b) => b.past_threshold - a.past_threshold)[0];
  const shown = summary.types.find(({ type }) => type === chosen) ?? worst;
  return (
    <section className={panelStyles.panel} aria-label="Distribution">
      <header>
        <h2>Distribution</h2>
        <span className={textStyles.grow} />
        {shown !== undefined && (
          <DropdownMenu.Root modal={false}>
            <DropdownMenu.Trigger
              className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
              aria-label={`Type: ${typeText(shown.type)}`}
            >
              {typeText(shown.type)}
              <ChevronDown className={iconStyles.tiny} aria-hidden />
            </DropdownMenu.Trigger>
            <DropdownMenu.Content className={menuStyles.menu} align="end" sideOffset={4} loop>
              {summary.types.map(({ type }) => (
                <DropdownMenu.Item
                  key={type}
                  className={menuStyles.menuItem}
                  onSelect={() => setChosen(type)}
                >
                  <MenuMark isChosen={type === shown.type} />
                  {typeText(type)}
                </DropdownMenu.Item>
              ))}
            </DropdownMenu.Content>
          </DropdownMenu.Root>
        )}
      </header>
      <div className={evaluationsPageStyles.plot} ref={plot}>
        {shown === undefined ? (
          <p className={classNames(textStyles.dim, evaluationsPageStyles.none)}>No scores.</p>
        ) : (
          <Bars type={shown} width={width} />
        )}
      </div>
    </section>
  );
}

interface BarsProps {
  readonly type: EvaluationSummary["types"][number];
  readonly width: number;
}

function Bars({ type: { type, direction, threshold, distribution }, width }: BarsProps) {
  const step = width / 10;
  const most = Math.max(1, ...distribution);
  const words = distribution.map((count, tenth) => `${tenth / 10} to ${(tenth + 1) / 10}: ${count}`);
  return (
    <svg
      className={chartStyles.chart}
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={`Distribution of ${typeText(type)} scores. ${words.join(", ")}`}
    >
      {distribution.map((count, tenth) => {
        const height = (count / most) * TALLEST;
        const isPast = isPastThreshold((tenth + 0.5) / 10, direction, threshold ?? undefined);
        return (
          <g key={tenth}>
            <rect
              x={tenth * step}
              y={BOTTOM - height}
              width={step - 2}
              height={height}
              rx={1.5}
              style={{ fill: isPast ? "var(--error)" : "var(--line-3)" }}
            />
            {count > 0 && (
              <text x={tenth * step + step / 2 - 1} y={BOTTOM - height - 5} textAnchor="middle">
                {formatWhole(count)}
              </text>
            )}
            <text x={tenth * step} y={184} textAnchor={tenth === 0 ? "start" : "middle"}>
              {tenth === 0 ? "0" : formatScore(tenth / 10).slice(0, 2)}
            </text>
          </g>
        );
      })}
      <line className={chartStyles.axis} x1={0} x2={width} y1={168.5} y2={168.5} />
      <text x={width} y={184} textAnchor="end">
        1
      </text>
    </svg>
  );
}
