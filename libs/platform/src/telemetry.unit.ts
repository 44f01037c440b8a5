import { afterEach, describe, expect, it } from '@jest/globals';
import { context, propagation, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { startTelemetry, type SpanProcessor, type StopTelemetry } from './telemetry.js';
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

  it.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])(
    'names %s that is no URL, and takes one that is',
    (name) => {
      for (const value of ['collector:4318', '   ', 'grpc://collector:4317', 'http://collector:x'])
        expect(() => telemetryConfig({ [name]: value })).toThrow(`configuration:\n  ${name}: must be an http(s) URL`);
      expect(telemetryConfig({ [name]: 'http://collector:4318' }).endpoint).toBe('http://collector:4318');
      expect(telemetryConfig({ [name]: '' }).endpoint).toBeNull();
    },
  );

  it('takes a ratio from 0 to 1, and 10 % for anything else', () => {
    const ratioOf = (argument?: string): number =>
      telemetryConfig({ OTEL_TRACES_SAMPLER_ARG: argument }).samplerArgument;
    expect(['0', '0.25', '1'].map(ratioOf)).toEqual([0, 0.25, 1]);
    expect([undefined, '', '-1', '2', 'all'].map(ratioOf)).toEqual([0.1, 0.1, 0.1, 0.1, 0.1]);
  });
});

describe('sampling', () => {
  const ignore: SpanProcessor = {
    onStart: () => undefined,
    onEnd: () => undefined,
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const ROOTS = 4_000;
  let stop: StopTelemetry = async () => undefined;
  afterEach(async () => {
    await stop();
    for (const api of [trace, context, propagation]) api.disable();
  });

  /** How many of 4,000 new traces are recorded, and whether a child of a recorded and of an unrecorded parent is. */
  function sampledBy(env: NodeJS.ProcessEnv) {
    stop = startTelemetry('test', telemetryConfig(env), ignore);
    const tracer = trace.getTracer('test');
    const isRecorded = (traceFlags?: TraceFlags): boolean => {
      const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isRemote: true };
      const under =
        traceFlags === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags });
      const span = tracer.startSpan('one', {}, under);
      span.end();
      return span.isRecording() || (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
    };
    const roots = Array.from({ length: ROOTS }, () => isRecorded()).filter(Boolean).length;
    return { roots, children: [isRecorded(TraceFlags.SAMPLED), isRecorded(TraceFlags.NONE)] };
  }

  it('records a tenth of new traces, and follows the parent of the others', () => {
    const { roots, children } = sampledBy({});
    // Seven standard deviations around a tenth.
    expect(Math.abs(roots - ROOTS / 10)).toBeLessThan(7 * Math.sqrt(ROOTS * 0.1 * 0.9));
    expect(children).toEqual([true, false]);
  });

  it.each([
    ['always_on', undefined, ROOTS, [true, true]],
    ['always_off', undefined, 0, [false, false]],
    ['parentbased_always_on', undefined, ROOTS, [true, false]],
    ['parentbased_always_off', undefined, 0, [true, false]],
    ['parentbased_traceidratio', '1', ROOTS, [true, false]],
    ['traceidratio', '0', 0, [false, false]],
  ])('by %s %s is the one that OpenTelemetry specifies', (sampler, argument, roots, children) => {
    const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument };
    expect(sampledBy(env)).toEqual({ roots, children });
  });

  it('records nothing while nothing takes it', () => {
    stop = startTelemetry('test', telemetryConfig({ OTEL_TRACES_SAMPLER: 'always_on' }));
    const span = trace.getTracer('test').startSpan('one');
    expect([span.isRecording(), /^0+$/.test(span.spanContext().traceId)]).toEqual([false, false]);
  });
});
