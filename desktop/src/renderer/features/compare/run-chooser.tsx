import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { ChevronsUpDown } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useLocation, useSearch } from "wouter";
import { useComparison, useStores } from "../../app-context.js";
import { MenuMark } from "../../components/menu-mark.js";
import { StatusDot } from "../../components/status-dot.js";
import { durationText, formatDay, formatTime, formatWhole } from "../../format.js";
import { rowKeyOf } from "../../store/trace-key.js";
import type { Side } from "../../store/compare-store.js";
import { compareHref, parseCompareSearch } from "./compare-address.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./compare-head.module.css";

/** Versions of a prompt in the menu. */
const MAX_VERSIONS = 8;

/** Menu of the versions of the prompt, and of the runs of the same name. */
export function RunChooser({ side }: { side: Side }) {
  const { compare } = useStores();
  const candidates = useComparison((state) => state.candidates);
  const found = useComparison((state) => state.found);
  const shown = useComparison((state) => state.comparison?.[side]);
  const [, navigate] = useLocation();
  const { view } = parseCompareSearch(useSearch());
  const prompt = useComparison((state) => state.prompt);
  const chooseVersion = async (version: string): Promise<void> => {
    const key = await compare.getState().findVersion(version);
    if (found !== undefined && key !== undefined) navigate(compareHref({ ...found, [side]: key }, { view }));
  };
  const choose = ({ trace_id: traceId, tenant }: TraceSummary): void => {
    if (found !== undefined) navigate(compareHref({ ...found, [side]: { traceId, tenant } }, { view }));
  };
  return (
    <DropdownMenu.Root
      modal={false}
      onOpenChange={(isOpen) => isOpen && void compare.getState().loadCandidates()}
    >
      <DropdownMenu.Trigger
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
        aria-label={`Choose run ${side.toUpperCase()}`}
        data-tip="Choose another run of this name"
      >
        <ChevronsUpDown className={iconStyles.icon} aria-hidden />
        <span className={styles.chooseName}>Choose</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className={menuStyles.menu} align="end" sideOffset={4} loop>
        {prompt !== undefined && (
          <>
            <DropdownMenu.Label className={styles.menuLabel}>Versions of {prompt.name}</DropdownMenu.Label>
            {prompt.versions.slice(0, MAX_VERSIONS).map(({ version, group }) => (
              <DropdownMenu.Item
                key={version}
                className={menuStyles.menuItem}
                onSelect={() => void chooseVersion(version)}
              >
                <MenuMark isChosen={prompt[side] === version} />
                <span className={textStyles.mono}>{version}</span>
                <span className={textStyles.dim}>its latest run</span>
                <span className={textStyles.count}>
                  {formatWhole(group.runs)}
                  <span className={textStyles.unit}> {group.runs === 1 ? "run" : "runs"}</span>
                </span>
              </DropdownMenu.Item>
            ))}
            <DropdownMenu.Separator className={menuStyles.menuLine} />
          </>
        )}
        {candidates === undefined && (
          <DropdownMenu.Item className={menuStyles.menuItem} disabled>
            <MenuMark />
            Loading…
          </DropdownMenu.Item>
        )}
        {candidates?.length === 0 && (
          <DropdownMenu.Item className={menuStyles.menuItem} disabled>
            <MenuMark />
            No other run
          </DropdownMenu.Item>
        )}
        {candidates?.map((run) => (
          <DropdownMenu.Item key={rowKeyOf(run)} className={menuStyles.menuItem} onSelect={() => choose(run)}>
            <MenuMark isChosen={shown !== undefined && rowKeyOf(run) === rowKeyOf(shown)} />
            <StatusDot status={run.status} />
            <span className={textStyles.mono}>{formatTime(run.start_time)}</span>
            <span className={textStyles.dim}>{formatDay(run.start_time)}</span>
            {run.version !== null && <span className={textStyles.dim}>{run.version}</span>}
            <span className={textStyles.count}>{durationText(run.duration_ms)}</span>
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
