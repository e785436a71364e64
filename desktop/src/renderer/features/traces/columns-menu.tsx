import { Columns3 } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { KeyboardEvent } from "react";
import { usePreferences, useStores, useTraces } from "../../app-context.js";
import { MenuMark } from "../../components/menu-mark.js";
import { isMultiTenant } from "../../store/traces-state.js";
import { clampWidth, COLUMNS, type Column } from "./columns.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./columns-menu.module.css";

/** Pixels per arrow key. */
const STEP_PX = 16;

/** Menu that shows, hides and resizes columns. */
export function ColumnsMenu() {
  const { preferences } = useStores();
  const hidden = usePreferences((state) => state.hiddenColumns);
  const widths = usePreferences((state) => state.columnWidths);
  const hasTenants = useTraces(isMultiTenant);
  const columns = COLUMNS.filter(({ id, isFixed }) => isFixed !== true && (id !== "tenant" || hasTenants));
  const isChanged = hidden.length > 0 || Object.keys(widths).length > 0;

  function show(column: Column, isShown: boolean): void {
    const others = hidden.filter((id) => id !== column.id);
    preferences.setState({ hiddenColumns: isShown ? others : [...others, column.id] });
  }

  function resize(event: KeyboardEvent, column: Column): void {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (direction === undefined || column.width === undefined) return;
    event.preventDefault();
    const width = clampWidth(column, (widths[column.id] ?? column.width) + direction * STEP_PX);
    preferences.setState({ columnWidths: { ...widths, [column.id]: width } });
  }

  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={buttonStyles.button}>
        <Columns3 className={iconStyles.icon} aria-hidden />
        Columns
      </DropdownMenu.Trigger>
      <DropdownMenu.Content
        className={classNames(menuStyles.menu, styles.columnsMenu)}
        align="end"
        sideOffset={4}
        loop
      >
        {columns.map((column) => (
          <DropdownMenu.CheckboxItem
            key={column.id}
            className={menuStyles.menuItem}
            checked={!hidden.includes(column.id)}
            onCheckedChange={(isShown) => show(column, isShown)}
            onSelect={(event) => event.preventDefault()}
            onKeyDown={(event) => resize(event, column)}
          >
            <MenuMark isChosen={!hidden.includes(column.id)} />
            <span className={classNames(textStyles.cut, textStyles.grow)}>{column.name}</span>
            {widths[column.id] !== undefined && (
              <span className={textStyles.count}>{widths[column.id]} px</span>
            )}
          </DropdownMenu.CheckboxItem>
        ))}
        <DropdownMenu.Separator className={menuStyles.menuLine} />
        <DropdownMenu.Item
          className={menuStyles.menuItem}
          disabled={!isChanged}
          onSelect={() => preferences.setState({ hiddenColumns: [], columnWidths: {} })}
        >
          <MenuMark />
          <span className={textStyles.grow}>Reset columns</span>
        </DropdownMenu.Item>
        <p className={classNames(menuStyles.menuFoot, textStyles.keys)} aria-hidden>
          <kbd>Space</kbd> show <kbd>←</kbd>
          <kbd>→</kbd> width
        </p>
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
