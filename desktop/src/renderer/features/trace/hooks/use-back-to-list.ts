import { useCallback } from "react";
import { useLocation } from "wouter";

/** Returns to the list: through the history if the user came from it, otherwise by a link. */
export function useBackToList(): () => void {
  const [, navigate] = useLocation();
  return useCallback(() => {
    if (cameFromList()) window.history.back();
    else navigate("/traces");
  }, [navigate]);
}

function cameFromList(): boolean {
  // Not every browser allows a page to read its history.
  const history = (window as { navigation?: Navigation }).navigation;
  const index = history?.currentEntry?.index ?? 0;
  const url = history?.entries()[index - 1]?.url;
  return typeof url === "string" && new URL(url).pathname === "/traces";
}
