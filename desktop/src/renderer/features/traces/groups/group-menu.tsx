import { ChevronDown, Group, Search } from "lucide-react";
import { Popover } from "radix-ui";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { useTraces } from "../../../app-context.js";
import { MenuMark } from "../../../components/menu-mark.js";
import { isMultiTenant } from "../../../store/traces-state.js";
import { isHandledElsewhere } from "../use-list-keys.js";
import type { AddressGrouping } from "../use-filters.js";
import { groupChoices, groupName } from "./group-names.js";
import { classNames } from "../../../components/class-names.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import menuStyles from "../../../components/menu.module.css";
import textStyles from "../../../components/text.module.css";
import facetMenuStyles from "../facet-menu.module.css";
import styles from "./group-menu.module.css";

/** The menu of what traces are grouped by: the keys of the query language, and any attribute. */
export function GroupMenu({ grouping, setGrouping }: AddressGrouping) {
  const [isOpen, setOpen] = useState(false);
  const hasChosen = useRef(false);

  useEffect(() => {
    function onKeyDown(event: globalThis.KeyboardEvent): void {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key.toLowerCase() !== "b" || !isPlain || isHandledElsewhere(event.target)) return;
      event.preventDefault();
      hasChosen.current = false;
      setOpen(true);
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);

  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(opened) => {
        hasChosen.current = false;
        setOpen(opened);
      }}
    >
      <Popover.Trigger
        className={
          grouping === undefined ? buttonStyles.button : classNames(buttonStyles.button, buttonStyles.on)
        }
        data-tip="Group the traces by a value  B"
      >
        <Group className={iconStyles.icon} aria-hidden />
        <span className={classNames(textStyles.cut, styles.name)}>
          {grouping === undefined ? "Group" : `By ${groupName(grouping.by)}`}
        </span>
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </Popover.Trigger>
      <Popover.Content
        className={classNames(menuStyles.menu, facetMenuStyles.content, styles.menu)}
        align="end"
        sideOffset={4}
        collisionPadding={8}
        aria-label="Group by"
        onCloseAutoFocus={(event) => {
          // After a choice, the keys of the list work at once.
          if (hasChosen.current) event.preventDefault();
        }}
      >
        <Choices
          chosen={grouping?.by}
          onChoose={(by) => {
            hasChosen.current = true;
            setOpen(false);
            setGrouping(by === undefined ? undefined : { by, order: grouping?.order ?? "runs" });
          }}
        />
      </Popover.Content>
    </Popover.Root>
  );
}

interface ChoicesProps {
  readonly chosen: string | undefined;
  /** @param by - undefined to end the grouping. */
  readonly onChoose: (by: string | undefined) => void;
}

function Choices({ chosen, onChoose }: ChoicesProps) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(-1);
  const known = groupChoices(text, useTraces(isMultiTenant));
  const isOwnAttribute = chosen?.startsWith("@") === true && text === "";
  const choices = isOwnAttribute ? [chosen, ...known] : known;
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    list.current?.querySelector("[data-highlighted]")?.scrollIntoView({ block: "nearest" });
  }, [active]);

  function onKeyDown(event: KeyboardEvent): void {
    const last = choices.length - 1;
    const isTyped = text.trim() !== "";
    if (event.key === "ArrowDown") setActive(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") setActive(active <= 0 ? last : active - 1);
    else if (event.key === "Enter" && (active >= 0 || isTyped)) onChoose(choices[Math.max(0, active)]);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <div className={facetMenuStyles.search}>
        <Search className={iconStyles.small} aria-hidden />
        <input
          className={textStyles.grow}
          type="text"
          role="combobox"
          aria-label="Key or attribute"
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={choices[active] === undefined ? undefined : `${id}-${active}`}
          autoComplete="off"
          spellCheck={false}
          placeholder="Key, or @any.attribute"
          maxLength={257}
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(-1);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div ref={list} id={id} className={facetMenuStyles.values} role="listbox" aria-label="Group by">
        {choices.map((by, index) => (
          <div
            key={by}
            id={`${id}-${index}`}
            role="option"
            className={menuStyles.menuItem}
            aria-selected={by === chosen}
            data-highlighted={index === active ? "" : undefined}
            onClick={() => onChoose(by)}
          >
            <MenuMark isChosen={by === chosen} />
            <span className={classNames(textStyles.cut, by.startsWith("@") && textStyles.mono)} data-tip={by}>
              {groupName(by)}
            </span>
            {by.startsWith("@") && <span className={menuStyles.hint}>attribute</span>}
          </div>
        ))}
      </div>
      {chosen !== undefined && (
        <button
          type="button"
          className={classNames(menuStyles.menuItem, facetMenuStyles.any)}
          onClick={() => onChoose(undefined)}
        >
          <MenuMark />
          No grouping
        </button>
      )}
    </>
  );
}
