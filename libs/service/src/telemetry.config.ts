/** The OpenTelemetry variables that we read ourselves; the exporter reads its own (headers, timeout, …). */
export interface TelemetryConfig {
  /** Null: nothing is exported. */
  readonly endpoint: string | null;
  readonly sampler: string;
  /** 0 to 1. */
  readonly samplerArgument: number;
}

/** Source: OpenTelemetry specification, "Environment variables". */
export function telemetryConfig(env: NodeJS.ProcessEnv = process.env): TelemetryConfig {
  const disabled = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT || null;
  const argument = Number(env.OTEL_TRACES_SAMPLER_ARG || 0.1);
  return {
    endpoint: disabled ? null : endpoint,
    sampler: env.OTEL_TRACES_SAMPLER ?? 'parentbased_traceidratio',
    samplerArgument: argument >= 0 && argument <= 1 ? argument : 0.1,
  };
}
