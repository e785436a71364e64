import { Notification } from "electron";
import type { NotificationText } from "./notification-text.js";

/** Notifications whose click is still heard. */
const MAX_KEPT = 20;

/** Shows notifications of the system. A click opens the page. */
export function createNotifier(open: (path: string) => void): (text: NotificationText) => void {
  // A notification without a reference is collected, and its click is lost.
  const kept: Notification[] = [];
  return ({ title, body, path }) => {
    if (!Notification.isSupported()) return;
    const notification = new Notification({ title, body });
    notification.on("click", () => open(path));
    kept.push(notification);
    if (kept.length > MAX_KEPT) kept.shift();
    notification.show();
  };
}
