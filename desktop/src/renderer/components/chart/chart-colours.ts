/** Colours that a canvas draws with. */
export interface ChartColours {
  readonly series: readonly string[];
  readonly text: string;
  readonly grid: string;
  readonly cross: string;
  readonly ground: string;
  readonly wordFont: string;
  readonly monoFont: string;
}

export const SERIES_COUNT = 8;

/**
 * Reads the colours of the current theme from an element's computed `color`: `light-dark()` does not resolve in a
 * custom property.
 */
export function readColours(): ChartColours {
  const probe = document.createElement("i");
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const font = (name: string): string => {
    probe.style.fontFamily = `var(--font-${name})`;
    return getComputedStyle(probe).fontFamily;
  };
  const colours = {
    series: Array.from({ length: SERIES_COUNT }, (_, index) => colour(`series-${index + 1}`)),
    text: colour("text-3"),
    grid: colour("line-1"),
    cross: colour("text-3"),
    ground: colour("bg-1"),
    wordFont: font("ui"),
    monoFont: font("mono"),
  };
  probe.remove();
  return colours;
}

/** Calls `listener` when the theme changes, either in the system or in the preferences. */
export function onThemeChange(listener: () => void): () => void {
  const query = window.matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(listener);
  query.addEventListener("change", listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    query.removeEventListener("change", listener);
    observer.disconnect();
  };
}

/** The colour with a lower opacity. */
export function faded(colour: string, alpha: number): string {
  return `color-mix(in srgb, ${colour} ${alpha * 100}%, transparent)`;
}
