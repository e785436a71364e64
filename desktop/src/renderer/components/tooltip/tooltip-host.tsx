import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { readTip, placeTip, type TipPlace } from "./tip-text.js";
import { watchTips, type TipTarget } from "./watch-tips.js";
import styles from "./tooltip-host.module.css";

/**
 * Shows the tooltip of the element that the pointer or the keyboard focus is on, for every element with `data-tip`. Unlike
 * `title`, it appears on focus, stays while the pointer is on it, closes with Escape and is announced.
 */
export function TooltipHost() {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [target, setTarget] = useState<TipTarget>();
  const [place, setPlace] = useState<TipPlace>();
  useEffect(() => watchTips(document, box, setTarget), []);

  useLayoutEffect(() => {
    const element = target?.element;
    if (element === undefined || box.current === null) return undefined;
    const { offsetWidth: width, offsetHeight: height } = box.current;
    const view = { width: window.innerWidth, height: window.innerHeight };
    setPlace(placeTip(element.getBoundingClientRect(), { width, height }, view));
    // The text of a control itself is not announced twice.
    if (!target?.isOwnText && element.getAttribute("aria-label") !== element.dataset["tip"]) {
      const before = element.getAttribute("aria-describedby");
      element.setAttribute("aria-describedby", before === null ? id : `${before} ${id}`);
      return () => {
        if (before === null) element.removeAttribute("aria-describedby");
        else element.setAttribute("aria-describedby", before);
      };
    }
    return undefined;
  }, [target, id]);

  if (target === undefined) return null;
  const { text, keys } = readTip(target.text);
  return (
    <div
      ref={box}
      id={id}
      role="tooltip"
      className={styles.tip}
      style={place === undefined ? { visibility: "hidden" } : place}
    >
      <span dir="auto">{text}</span>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </div>
  );
}
