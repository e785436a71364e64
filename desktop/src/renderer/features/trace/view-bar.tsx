import {
  ChartGantt,
  Flame,
  ListTree,
  MessageSquare,
  PanelRight,
  Radio,
  Route,
  Search,
  Waypoints,
  ZoomIn,
  ZoomOut,
  type LucideIcon,
} from "lucide-react";
import { Suspense } from "react";
import { late, type Late } from "../../components/late.js";
import { Segmented, type SegmentedChoice } from "../../components/segmented.js";
import { IconButton } from "./icon-button.js";
import { middleOf } from "./model/time-scale.js";
import { ZOOM_STEP } from "./model/zoom-step.js";
import { SpanSearch } from "./span-search-box.js";
import { ToggleButton } from "./toggle-button.js";
import { VIEWS, type ViewName } from "./trace-address.js";
import { useTracePage, useTraceView } from "./trace-page-context.js";
import { classNames } from "../../components/class-names.js";
import buttonStyles from "../../components/button.module.css";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import viewBarStyles from "../../components/view-bar.module.css";

/** The names of the views, as the switch and the palette show them. */
export const VIEW_LABELS: Readonly<Record<ViewName, { readonly name: string; readonly icon: LucideIcon }>> = {
  tree: { name: "Tree", icon: ListTree },
  timeline: { name: "Timeline", icon: ChartGantt },
  flame: { name: "Flame", icon: Flame },
  graph: { name: "Graph", icon: Waypoints },
  transcript: { name: "Transcript", icon: MessageSquare },
};

const VIEW_CHOICES = VIEWS.map((value, index): SegmentedChoice<ViewName> => {
  const { name, icon: Icon } = VIEW_LABELS[value];
  const content = (
    <>
      <Icon className={iconStyles.icon} aria-hidden />
      <span className={viewBarStyles.viewName}>{name}</span>
    </>
  );
  return { value, content, title: `${name}  ${index + 1}` };
});

export const TranscriptTools = late(async () => (await import("./transcript/transcript-tools.js")).default);

/** The tools of a view, loaded with it. */
const VIEW_TOOLS: Readonly<Partial<Record<ViewName, Late<object>>>> = {
  flame: late(async () => (await import("./flame/flame-tools.js")).default),
  graph: late(async () => (await import("./graph/graph-tools.js")).default),
  transcript: TranscriptTools,
};

export function preloadTools(): void {
  for (const tools of Object.values(VIEW_TOOLS)) tools.preload();
}

/** The view switch and the tools of the view. */
export function ViewBar() {
  const { view, tree, shown, isNarrow } = useTracePage();
  const isSearchOpen = useTraceView((state) => state.isSearchOpen);
  const isPaneOpen = useTraceView((state) => (isNarrow ? state.isOverlayOpen : state.isPaneOpen));
  const actions = view.getState();
  const Tools = VIEW_TOOLS[shown];
  return (
    <div className={classNames(viewBarStyles.viewBar, tree.isRunning && viewBarStyles.running)}>
      <Segmented label="View" choices={VIEW_CHOICES} chosen={shown} onChoose={actions.setView} />
      <span className={textStyles.grow} />
      {tree.isRunning && <FollowButton />}
      {shown === "timeline" && !isSearchOpen && <CriticalPathButton />}
      {Tools !== undefined && !isSearchOpen && (
        <Suspense fallback={null}>
          <Tools />
        </Suspense>
      )}
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

/** Selects the newest step as the trace grows. */
function FollowButton() {
  const { view } = useTracePage();
  const isOn = useTraceView((state) => state.isFollowing);
  return (
    <ToggleButton
      isOn={isOn}
      tip="Select the newest step  L"
      onClick={() => view.getState().setFollowing(!isOn)}
    >
      <Radio className={iconStyles.icon} aria-hidden />
      Follow
    </ToggleButton>
  );
}

function CriticalPathButton() {
  const { view } = useTracePage();
  const isOn = useTraceView((state) => state.showsCriticalPath);
  return (
    <ToggleButton
      isOn={isOn}
      tip="The spans that determine the duration of the trace"
      onClick={() => view.getState().toggleCriticalPath()}
    >
      <Route className={iconStyles.icon} aria-hidden />
      Critical path
    </ToggleButton>
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
        data-tip="Show the whole trace  0"
        disabled={!isZoomed}
        onClick={() => setWindow(undefined)}
      >
        Fit
      </button>
    </>
  );
}
