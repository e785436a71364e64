import { ChevronDown, Repeat2, ZoomIn, ZoomOut } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { classNames } from "../../../components/class-names.js";
import { MenuMark } from "../../../components/menu-mark.js";
import { IconButton } from "../icon-button.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";
import { EDGE_WIDTHS } from "../trace-view-store.js";
import { ZOOM_STEP } from "../model/zoom-step.js";
import { useGraph } from "./use-graph.js";
import buttonStyles from "../../../components/button.module.css";
import iconStyles from "../../../components/icon.module.css";
import menuStyles from "../../../components/menu.module.css";
import textStyles from "../../../components/text.module.css";

/** Loops and zoom of the graph. */
export default function GraphTools() {
  const { view, selected } = useTracePage();
  const { graph } = useGraph();
  const { zoomGraph, chooseNode } = view.getState();
  const { loops } = graph;
  const nextLoop = (): void => {
    const loop = loops[(loops.findIndex(({ span }) => span === selected) + 1) % loops.length];
    if (loop !== undefined) chooseNode(loop.nodeId, loop.span.id);
  };
  return (
    <>
      {loops.length > 0 && (
        <button
          type="button"
          className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
          data-tip="Next loop  O"
          onClick={nextLoop}
        >
          <Repeat2 className={iconStyles.icon} aria-hidden />
          <span className={textStyles.warn}>
            {loops.length} {loops.length === 1 ? "loop" : "loops"}
          </span>
        </button>
      )}
      <WidthMenu />
      <IconButton icon={ZoomOut} name="Zoom out" keys="−" onClick={() => zoomGraph(1 / ZOOM_STEP)} />
      <IconButton icon={ZoomIn} name="Zoom in" keys="+" onClick={() => zoomGraph(ZOOM_STEP)} />
      <button
        type="button"
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
        data-tip="Fit the graph  0"
        onClick={() => zoomGraph(undefined)}
      >
        Fit
      </button>
    </>
  );
}

/** What the width of the edges shows, and the amount at their ends. */
function WidthMenu() {
  const { view } = useTracePage();
  const chosen = useTraceView((state) => state.edgeWidth);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className={classNames(buttonStyles.button, buttonStyles.ghost, buttonStyles.small)}
      >
        <span>
          Width <b>{chosen}</b>
        </span>
        <ChevronDown className={iconStyles.tiny} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className={menuStyles.menu} align="end" sideOffset={4} loop>
        <DropdownMenu.RadioGroup value={chosen}>
          {EDGE_WIDTHS.map((width) => (
            <DropdownMenu.RadioItem
              key={width}
              className={menuStyles.menuItem}
              value={width}
              onSelect={() => view.getState().setEdgeWidth(width)}
            >
              <MenuMark isChosen={width === chosen} />
              Width is {width}
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
