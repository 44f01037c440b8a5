import { httpUrlOf, readConfig, type ConfigKey } from './config.js';

/**
 * The OpenTelemetry variables that we read ourselves, those of batches because this SDK does not; the exporter reads its own
 * (headers, timeout, …).
 */
export interface TelemetryConfig {
  /** Null: nothing is exported. */
  readonly endpoint: string | null;
  readonly sampler: string;
  /** 0 to 1. */
  readonly samplerArgument: number;
  /** How spans are gathered for the export; the SDK's own numbers where one is left out. */
  readonly batch?: {
    readonly scheduledDelayMillis?: number;
    readonly exportTimeoutMillis?: number;
    /** Spans that wait at most: those that come then are lost. */
    readonly maxQueueSize?: number;
    readonly maxExportBatchSize?: number;
  };
}

/** Handed to the exporter as it is, which would send to localhost in place of what is no URL. */
const endpoint: ConfigKey<string | null> = {
  description: 'where traces go, by the OpenTelemetry protocol',
  default: null,
  parse: (value) => {
    if (httpUrlOf(value)) return value;
    throw new Error('must be an http(s) URL');
  },
};
const schema = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };

/**
 * Source: OpenTelemetry specification, "Environment variables".
 *
 * @throws Error that names an endpoint that is no URL
 */
export function telemetryConfig(env: NodeJS.ProcessEnv = process.env): TelemetryConfig {
  const disabled = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces, OTEL_EXPORTER_OTLP_ENDPOINT: ofAll } = readConfig(schema, env);
  const argument = Number(env.OTEL_TRACES_SAMPLER_ARG || 0.1);
  return {
    endpoint: disabled ? null : (ofTraces ?? ofAll),
    sampler: env.OTEL_TRACES_SAMPLER ?? 'parentbased_traceidratio',
    samplerArgument: argument >= 0 && argument <= 1 ? argument : 0.1,
    batch: {
      ...positive('scheduledDelayMillis', env.OTEL_BSP_SCHEDULE_DELAY),
      ...positive('exportTimeoutMillis', env.OTEL_BSP_EXPORT_TIMEOUT),
      ...positive('maxQueueSize', env.OTEL_BSP_MAX_QUEUE_SIZE),
      ...positive('maxExportBatchSize', env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE),
    },
  };
}

/** A value that is not a number is ignored. Source: OpenTelemetry, "Environment Variable Specification". */
function positive<Name extends string>(name: Name, text: string | undefined): { [Key in Name]?: number } {
  const number = Number(text);
  // The compiler does not see that a computed name of a union's member is that member.
  return (Number.isInteger(number) && number > 0 ? { [name]: number } : {}) as { [Key in Name]?: number };
}
