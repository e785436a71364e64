import { useEffect } from "react";
import { ancestorIds } from "../model/visible-rows.js";
import { useTracePage, useTraceView } from "../trace-page-context.js";

/** Selects the newest step of a running trace, while the reader follows it. */
export function useFollow(): void {
  const { view, tree, run } = useTracePage();
  const isFollowing = useTraceView((state) => state.isFollowing);
  const newest = run.steps.at(-1) ?? tree.nodes.at(-1);
  useEffect(() => {
    if (isFollowing && newest !== undefined) view.getState().follow(newest.id, ancestorIds(newest));
    // Not when other spans change: following ends when the reader selects one.
  }, [view, isFollowing, newest?.id]);
  useEffect(() => {
    if (!tree.isRunning) view.getState().setFollowing(false);
  }, [view, tree.isRunning]);
}
