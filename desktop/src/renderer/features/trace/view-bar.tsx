import {
  ChartGantt,
  ListTree,
  PanelRight,
  Route,
  Search,
  ZoomIn,
  ZoomOut,
  type LucideIcon,
} from "lucide-react";
import { Segmented, type SegmentedChoice } from "../../components/segmented.js";
import { middleOf } from "./model/span-tree.js";
import { SpanSearch } from "./span-search-box.js";
import { VIEWS, type ViewName } from "./trace-address.js";
import { useTracePage, useTraceView } from "./trace-page-context.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import viewBarStyles from "../../components/view-bar.module.css";

const VIEW_LABELS: Readonly<Record<ViewName, { readonly name: string; readonly icon: LucideIcon }>> = {
  tree: { name: "Tree", icon: ListTree },
  timeline: { name: "Timeline", icon: ChartGantt },
};

const VIEW_CHOICES = VIEWS.map((value, index): SegmentedChoice<ViewName> => {
  const { name, icon: Icon } = VIEW_LABELS[value];
  const content = (
    <>
      <Icon className={iconStyles.icon} aria-hidden />
      {name}
    </>
  );
  return { value, content, title: `${name}  ${index + 1}` };
});

/** Zoom factor of a button or key press. */
export const ZOOM_STEP = 1.6;

/** The view switch and the tools of the view. */
export function ViewBar() {
  const { view, isNarrow } = useTracePage();
  const shown = useTraceView((state) => state.view);
  const isSearchOpen = useTraceView((state) => state.isSearchOpen);
  const isPaneOpen = useTraceView((state) => (isNarrow ? state.isOverlayOpen : state.isPaneOpen));
  const actions = view.getState();
  return (
    <div className={viewBarStyles.viewBar}>
      <Segmented label="View" choices={VIEW_CHOICES} chosen={shown} onChoose={actions.setView} />
      <span className={textStyles.grow} />
      {shown === "timeline" && !isSearchOpen && <CriticalPathButton />}
      {isSearchOpen ? (
        <SpanSearch />
      ) : (
        <IconButton icon={Search} name="Search inside" keys="/" onClick={actions.openSearch} />
      )}
      {shown === "timeline" && <ZoomButtons />}
      {!isPaneOpen && (
        <IconButton
          icon={PanelRight}
          name="Show the selected span"
          keys="]"
          onClick={() => actions.togglePane(isNarrow)}
        />
      )}
    </div>
  );
}

function CriticalPathButton() {
  const { view } = useTracePage();
  const isOn = useTraceView((state) => state.showsCriticalPath);
  return (
    <button
      type="button"
      className={
        isOn
          ? classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small, buttonStyles.on)
          : classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)
      }
      aria-pressed={isOn}
      title="The spans that determine the duration of the trace"
      onClick={() => view.getState().toggleCriticalPath()}
    >
      <Route className={iconStyles.icon} aria-hidden />
      Critical path
    </button>
  );
}

function ZoomButtons() {
  const { view, selected } = useTracePage();
  const isZoomed = useTraceView((state) => state.window !== undefined);
  const { zoomBy, setWindow } = view.getState();
  return (
    <>
      <IconButton
        icon={ZoomOut}
        name="Zoom out"
        keys="−"
        isDisabled={!isZoomed}
        onClick={() => zoomBy(ZOOM_STEP, middleOf(selected))}
      />
      <IconButton
        icon={ZoomIn}
        name="Zoom in"
        keys="+"
        onClick={() => zoomBy(1 / ZOOM_STEP, middleOf(selected))}
      />
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
        title="Show the whole trace  0"
        disabled={!isZoomed}
        onClick={() => setWindow(undefined)}
      >
        Fit
      </button>
    </>
  );
}

interface IconButtonProps {
  readonly icon: LucideIcon;
  readonly name: string;
  readonly keys: string;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
}

/** A small icon button; its name and shortcut are in the tooltip. */
export function IconButton({ icon: Icon, name, keys, isDisabled = false, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small, buttonStyles.square)}
      aria-label={name}
      title={keys === "" ? name : `${name}  ${keys}`}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon className={iconStyles.icon} aria-hidden />
    </button>
  );
}
