import { Columns3 } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { KeyboardEvent } from "react";
import { KeyHint } from "../../components/key-hint.js";
import { MenuMark } from "../../components/menu-mark.js";
import { clampWidth, type ListColumn } from "./columns.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./columns-menu.module.css";

/** Pixels per arrow key. */
const STEP_PX = 16;

/** What the user has changed of the columns of a list. */
export interface ColumnChoices {
  readonly hidden: readonly string[];
  /** In pixels, by id. */
  readonly widths: Readonly<Record<string, number>>;
}

interface ColumnsMenuProps extends ColumnChoices {
  /** Those that can be hidden. */
  readonly columns: readonly ListColumn[];
  readonly onChange: (choices: Partial<ColumnChoices>) => void;
}

/** Menu that shows, hides and resizes columns. */
export function ColumnsMenu({ columns, hidden, widths, onChange }: ColumnsMenuProps) {
  const isChanged = hidden.length > 0 || Object.keys(widths).length > 0;

  function show(column: ListColumn, isShown: boolean): void {
    const others = hidden.filter((id) => id !== column.id);
    onChange({ hidden: isShown ? others : [...others, column.id] });
  }

  function resize(event: KeyboardEvent, column: ListColumn): void {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (direction === undefined || column.width === undefined) return;
    event.preventDefault();
    const width = clampWidth(column, (widths[column.id] ?? column.width) + direction * STEP_PX);
    onChange({ widths: { ...widths, [column.id]: width } });
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
          onSelect={() => onChange({ hidden: [], widths: {} })}
        >
          <MenuMark />
          <span className={textStyles.grow}>Reset columns</span>
        </DropdownMenu.Item>
        <p className={classNames(menuStyles.menuFoot, styles.hints)} aria-hidden>
          <KeyHint keys={["Space"]}>show</KeyHint>
          <KeyHint keys={["←", "→"]}>width</KeyHint>
        </p>
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
