/** The callbacks of the AI SDK, by name. `lifetime` is an object that lives as long as the operation. */
export type TelemetryCallbacks = Readonly<Record<string, (event: unknown, lifetime: object) => void>>;
