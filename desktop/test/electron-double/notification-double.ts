import type { Notification, NotificationConstructorOptions } from "electron";
import { report } from "./test-channel.js";
import { KnownEvents } from "./unimplemented.js";

const EVENTS = new Set(["click"]);
const shown: NotificationDouble[] = [];

/** `Notification` (api/notification.md). */
export class NotificationDouble extends KnownEvents implements Pick<Notification, "show"> {
  readonly #options: NotificationConstructorOptions;

  constructor(options: NotificationConstructorOptions = {}) {
    super("Notification", EVENTS);
    this.#options = options;
  }

  /** "Whether or not desktop notifications are supported on the current system". */
  static isSupported(): boolean {
    return true;
  }

  /** "Immediately shows the notification to the user." */
  show(): void {
    const { title = "", body = "" } = this.#options;
    report({ type: "notification", title, body });
    shown.push(this);
  }
}

/** "Emitted when the notification is clicked by the user." @param nth - from 1. */
export function clickNotification(nth: number): void {
  shown[nth - 1]?.emit("click", {});
}
