import { describe, expect, it } from '@jest/globals';
import { telemetryConfig } from './telemetry.config.js';

describe('the configuration of traces', () => {
  it('takes the variables of batches that the SDK does not read, and ignores what is no number', () => {
    const env = {
      OTEL_BSP_SCHEDULE_DELAY: '200',
      OTEL_BSP_EXPORT_TIMEOUT: '0',
      OTEL_BSP_MAX_QUEUE_SIZE: 'many',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '64',
    };
    expect(telemetryConfig(env).batch).toEqual({ scheduledDelayMillis: 200, maxExportBatchSize: 64 });
    expect(telemetryConfig({}).batch).toEqual({});
  });
});
