import type { ShareFormat } from "@obspan/collector-core/api-schema";
import { Braces, ChevronDown, FileText, Globe, Link2, Share2, type LucideIcon } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useEffect, useState } from "react";
import { MenuMark } from "../../components/menu-mark.js";
import { saveFrom } from "../../components/save-file.js";
import { isHandledElsewhere } from "../traces/use-list-keys.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import menuStyles from "../../components/menu.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./share-menu.module.css";

/** A trace or a session as a file, as the menu and the palette offer it. */
export interface SharedFile {
  readonly format: ShareFormat;
  readonly name: string;
  readonly detail: string;
  readonly icon: LucideIcon;
}

export const SHARED_FILES: readonly SharedFile[] = [
  { format: "html", name: "Web page", detail: "opens anywhere, without a network", icon: Globe },
  { format: "markdown", name: "Markdown", detail: "for a coding agent or a ticket", icon: FileText },
  { format: "jsonl", name: "JSON lines", detail: "for an import, as received", icon: Braces },
];

/** The same of a session. */
export const SESSION_FILES: readonly SharedFile[] = [
  { format: "html", name: "Web page", detail: "opens anywhere, without a network", icon: Globe },
  { format: "markdown", name: "Markdown", detail: "the conversation", icon: FileText },
  { format: "jsonl", name: "JSON lines", detail: "all traces, for an import", icon: Braces },
];

interface ShareMenuProps {
  readonly what: "trace" | "session";
  readonly files: readonly SharedFile[];
  readonly addressOf: (format: ShareFormat, isRaw: boolean) => string;
  readonly copyLink: () => void;
}

/** The menu that gives a trace or a session to somebody else: a link, or a file. */
export function ShareMenu({ what, files, addressOf, copyLink }: ShareMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const [isRedacted, setRedacted] = useState(true);

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.key !== "s" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.defaultPrevented || isHandledElsewhere(event.target)) return;
      event.preventDefault();
      setOpen(true);
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);

  return (
    <DropdownMenu.Root
      modal={false}
      open={isOpen}
      onOpenChange={(opened) => {
        setOpen(opened);
        // Chosen for one menu only: the next file is the safe one again.
        if (!opened) setRedacted(true);
      }}
    >
      <DropdownMenu.Trigger className={buttonStyles.button} data-tip={`A link or a file of this ${what}  S`}>
        <Share2 className={iconStyles.icon} aria-hidden />
        Share
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content
        className={classNames(menuStyles.menu, styles.menu)}
        align="end"
        sideOffset={4}
        loop
      >
        <DropdownMenu.Item className={menuStyles.menuItem} onSelect={copyLink}>
          <Icon of={Link2} />
          Copy link
          <kbd className={menuStyles.hint}>Y</kbd>
        </DropdownMenu.Item>
        <DropdownMenu.Separator className={menuStyles.menuLine} />
        {files.map(({ format, name, detail, icon }) => (
          <DropdownMenu.Item
            key={format}
            className={menuStyles.menuItem}
            onSelect={() => saveFrom(addressOf(format, !isRedacted))}
          >
            <Icon of={icon} />
            {name}
            <span className={classNames(menuStyles.hint, textStyles.note)}>{detail}</span>
          </DropdownMenu.Item>
        ))}
        <DropdownMenu.Separator className={menuStyles.menuLine} />
        <DropdownMenu.CheckboxItem
          className={menuStyles.menuItem}
          checked={isRedacted}
          onCheckedChange={setRedacted}
          onSelect={(event) => event.preventDefault()}
        >
          <MenuMark isChosen={isRedacted} />
          Replace personal data
        </DropdownMenu.CheckboxItem>
        <p className={classNames(textStyles.note, styles.note)}>
          {isRedacted
            ? "In the web page and in Markdown: what the built-in patterns know, such as addresses and keys."
            : "The files have all texts as they were recorded."}
        </p>
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

function Icon({ of: Shape }: { readonly of: LucideIcon }) {
  return (
    <span className={menuStyles.menuMark}>
      <Shape className={iconStyles.small} aria-hidden />
    </span>
  );
}
