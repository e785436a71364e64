import { ChevronDown } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { MenuMark } from "../../components/menu-mark.js";
import { classNames } from "../../components/class-names.js";
import facetStyles from "../../components/facet.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";

/** A range that a menu offers. */
export interface RangeChoice {
  /** As the filters have it. */
  readonly value: string;
  /** In the menu: `3 or more`. */
  readonly name: string;
  /** On the button: `≥ 3`. */
  readonly short: string;
}

interface RangeMenuProps {
  readonly name: string;
  readonly choices: readonly RangeChoice[];
  /** The range of the filters, which may be another than those of the menu; undefined for any. */
  readonly value: string | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onChoose: (value: string | undefined) => void;
}

/** Menu that filters by the range of a figure. */
export function RangeMenu({ name, choices, value, isOpen, onOpen, onChoose }: RangeMenuProps) {
  return (
    <DropdownMenu.Root modal={false} open={isOpen} onOpenChange={onOpen}>
      <DropdownMenu.Trigger
        className={value === undefined ? facetStyles.facet : classNames(facetStyles.facet, facetStyles.on)}
      >
        {name}
        {value !== undefined && <b>{choices.find((each) => each.value === value)?.short ?? value}</b>}
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className={menuStyles.menu} align="start" sideOffset={4} loop>
        <DropdownMenu.RadioGroup value={value ?? ""}>
          {choices.map((each) => (
            <DropdownMenu.RadioItem
              key={each.value}
              className={menuStyles.menuItem}
              value={each.value}
              onSelect={() => onChoose(value === each.value ? undefined : each.value)}
            >
              <MenuMark isChosen={value === each.value} />
              {each.name}
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
        {value !== undefined && (
          <>
            <DropdownMenu.Separator className={menuStyles.menuLine} />
            <DropdownMenu.Item className={menuStyles.menuItem} onSelect={() => onChoose(undefined)}>
              <MenuMark />
              Any {name.toLowerCase()}
            </DropdownMenu.Item>
          </>
        )}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
