import { CircleAlert, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import type { CollectorError } from "../api/collector-api.js";
import { classNames } from "./class-names.js";
import { StoreDisabled } from "./store-disabled.js";
import buttonStyles from "./button.module.css";
import iconStyles from "./icon.module.css";
import pageStyles from "./page.module.css";
import textStyles from "./text.module.css";

interface RequestFailedProps {
  /** What could not be done, as a heading. */
  readonly title: string;
  /** It is all that the page has. */
  readonly isPage?: boolean;
  readonly error: CollectorError | undefined;
  readonly retry: () => void;
  /** Shown while it is fetched again, as after the user has signed in. */
  readonly loading: ReactNode;
}

/** What a page shows in place of data that could not be fetched. */
export function RequestFailed({ title, isPage = false, error, retry, loading }: RequestFailedProps) {
  if (error?.code === "trace_store_disabled") return <StoreDisabled />;
  if (error?.code === "unauthorized") return loading;
  return (
    <div className={pageStyles.blank} role="alert">
      {isPage ? (
        <Unplug className={iconStyles.icon} aria-hidden />
      ) : (
        <CircleAlert className={classNames(iconStyles.icon, textStyles.error)} aria-hidden />
      )}
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      <p className={textStyles.dim}>{error?.message}</p>
      {!isPage && <p className={classNames(textStyles.mono, textStyles.faint)}>{error?.code}</p>}
      <button type="button" className={buttonStyles.button} onClick={retry}>
        Try again
      </button>
    </div>
  );
}
