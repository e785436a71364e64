import { Component, type ReactNode } from "react";
import { FailureNotice, type Failure } from "./failure-notice.js";

interface ErrorBoundaryProps {
  /** The part, as the message names it: `This span`. */
  readonly name: string;
  /** What the part shows. When it changes, the part is drawn again. */
  readonly resetKey?: unknown;
  /** Runs before the part is drawn again on request, such as to fetch its data. */
  readonly beforeRetry?: () => void | Promise<void>;
  /** Drawn in place of the part. Default: a {@link FailureNotice}. */
  readonly fallback?: (failure: Failure) => ReactNode;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly message: string | undefined;
}

const DRAWN: ErrorBoundaryState = { message: undefined };
/** A message may quote what could not be drawn. */
const MESSAGE_LENGTH = 300;

/** Limits an error while drawing to one part: the message takes its place and the rest of the page stays. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    const message = error instanceof Error ? error.message : String(error);
    return { message: message.length > MESSAGE_LENGTH ? `${message.slice(0, MESSAGE_LENGTH)}…` : message };
  }

  override state = DRAWN;

  override componentDidUpdate(before: ErrorBoundaryProps, { message }: ErrorBoundaryState): void {
    // A part that fails for the new key as well stays as it is.
    const hadFailed = this.state.message !== undefined && message !== undefined;
    if (hadFailed && before.resetKey !== this.props.resetKey) this.setState(DRAWN);
  }

  override render(): ReactNode {
    const { name, fallback, children } = this.props;
    const { message } = this.state;
    if (message === undefined) return children;
    const failure = { message, retry: () => void this.#retry() };
    return fallback === undefined ? <FailureNotice name={name} {...failure} /> : fallback(failure);
  }

  async #retry(): Promise<void> {
    await this.props.beforeRetry?.();
    this.setState(DRAWN);
  }
}
