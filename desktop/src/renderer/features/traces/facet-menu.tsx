import { ChevronDown } from "lucide-react";
import { Popover } from "radix-ui";
import type { FacetSelection, SelectionKey } from "../../store/facet-selection.js";
import { FacetChooser } from "./facet-chooser.js";
import { facetName, selectionText } from "./facet-names.js";
import { classNames } from "../../components/class-names.js";
import facetStyles from "../../components/facet.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./facet-menu.module.css";

interface FacetMenuProps {
  readonly facet: SelectionKey;
  readonly selection: FacetSelection;
  readonly isOpen: boolean;
  /** Whether the counts name what is counted: traces, on a page that lists something else. */
  readonly isUnitShown: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onChoose: (selection: FacetSelection) => void;
  /** Opens the menu beside this one. */
  readonly onStep: (step: 1 | -1) => void;
}

/** A filter with known values. */
export function FacetMenu({
  facet,
  selection,
  isOpen,
  isUnitShown,
  onOpen,
  onChoose,
  onStep,
}: FacetMenuProps) {
  const chosen = selectionText(facet, selection);
  return (
    <Popover.Root open={isOpen} onOpenChange={onOpen}>
      <Popover.Trigger
        className={chosen === undefined ? facetStyles.facet : classNames(facetStyles.facet, facetStyles.on)}
      >
        {facetName(facet)}
        {chosen !== undefined && (
          <b className={textStyles.cut} dir="auto">
            {chosen.text}
          </b>
        )}
        {chosen !== undefined && chosen.more > 0 && <b>+{chosen.more}</b>}
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </Popover.Trigger>
      <Popover.Content
        className={classNames(menuStyles.menu, facetStyles.facetMenu, styles.content)}
        align="start"
        sideOffset={4}
        collisionPadding={8}
        aria-label={facetName(facet)}
      >
        <FacetChooser
          facet={facet}
          selection={selection}
          isUnitShown={isUnitShown}
          onStep={onStep}
          onChange={onChoose}
          onChoose={(next) => {
            onOpen(false);
            onChoose(next);
          }}
        />
      </Popover.Content>
    </Popover.Root>
  );
}
