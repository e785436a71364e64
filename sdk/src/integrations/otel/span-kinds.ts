/** Names of OpenTelemetry's span kinds, as spans that arrive over OTLP have them. */
export const KINDS: readonly string[] = ["internal", "server", "client", "producer", "consumer"];
