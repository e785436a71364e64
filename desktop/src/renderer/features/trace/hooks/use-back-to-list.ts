import { useCallback } from "react";
import { useLocation } from "wouter";

/** Goes back to the list as it was, where the reader came from it; else to the list. */
export function useBackToList(): () => void {
  const [, navigate] = useLocation();
  return useCallback(() => {
    if (cameFromList()) window.history.back();
    else navigate("/traces");
  }, [navigate]);
}

function cameFromList(): boolean {
  // Not every browser lets a page read its own history.
  const history = (window as { navigation?: Navigation }).navigation;
  const index = history?.currentEntry?.index ?? 0;
  const url = history?.entries()[index - 1]?.url;
  return typeof url === "string" && new URL(url).pathname === "/traces";
}
