import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { metrics as api } from '@opentelemetry/api';
import {
  createLog,
  InternalServer,
  CachedGauge,
  PollingWorker,
  startMetrics,
  type Clock,
  type Log,
  type Metrics,
} from './index.js';
import { RoundFailures } from './failed-rounds.js';

class MemoryLog implements Pick<Log, 'error'> {
  readonly errors: string[] = [];
  readonly error = (event: string): void => void this.errors.push(event);
}

class HandClock implements Clock {
  nowMs = 0;
  readonly now = (): number => this.nowMs;
  readonly monotonic = (): number => this.nowMs;
}

const log = new MemoryLog();
const spoken: Log = { ...createLog('test'), error: log.error };
let metrics: Metrics;

beforeAll(() => {
  metrics = startMetrics('test', spoken);
});

afterAll(async () => {
  await metrics.stop();
  api.disable();
});

/** The lines of one metric, without its comments. */
async function seriesOf(name: string): Promise<string[]> {
  const text = await metrics.scrape();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

describe('metrics of a process', () => {
  it('show a counter that was never raised, and what came of it since', async () => {
    const counter = api.getMeter('test').createCounter('test_events_total', { description: 'Events' });
    counter.add(0, { outcome: 'failed' });
    expect(await seriesOf('test_events_total')).toEqual(['test_events_total{outcome="failed"} 0']);
    counter.add(2, { outcome: 'failed' });
    expect(await seriesOf('test_events_total')).toEqual(['test_events_total{outcome="failed"} 2']);
    expect(await metrics.scrape()).toContain('# HELP test_events_total Events\n# TYPE test_events_total counter\n');
  });

  it('show a gauge only with the labels that it has now', async () => {
    const counts = new Map([['a', 1]]);
    const clock = new HandClock();
    const reading = new CachedGauge({ name: 'counts', read: async () => [...counts], log: spoken, clock });
    reading.observeAs('test_letters', 'Letters', (all) => all.map(([name, value]) => ({ value, labels: { name } })));
    expect(await seriesOf('test_letters')).toEqual(['test_letters{name="a"} 1']);
    counts.clear();
    counts.set('b', 2);
    clock.nowMs += 5_000;
    expect(await seriesOf('test_letters')).toEqual(['test_letters{name="b"} 2']);
  });

  it('show how many rounds of work in the background failed, by what the log says of them, from 0 on', async () => {
    const began = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<boolean>();
    class FailingWorker extends PollingWorker {
      protected round(): Promise<boolean> {
        began.resolve();
        return ended.promise;
      }
    }
    const worker = new FailingWorker({ log: spoken, idleMs: 2 ** 30, failureEvent: 'test.work-failed' });
    worker.onApplicationBootstrap();
    await began.promise;
    const shown = async (): Promise<readonly string[]> =>
      (await seriesOf('switchboard_failed_rounds_total')).filter((one) => one.includes('test.work-failed'));
    expect(await shown()).toEqual(['switchboard_failed_rounds_total{event="test.work-failed"} 0']);
    ended.reject(new Error('a right is missing'));
    await worker.onModuleDestroy();
    expect(await shown()).toEqual(['switchboard_failed_rounds_total{event="test.work-failed"} 1']);
    expect(log.errors).toContain('test.work-failed');
  });

  it('show each failed round of a worker, of which the log has one line a run', async () => {
    const fails = [true, true, false, true];
    const begun = [...fails, false].map(() => Promise.withResolvers<void>());
    const goOn = Promise.withResolvers<void>();
    let round = 0;
    class FlappingWorker extends PollingWorker {
      protected async round(): Promise<boolean> {
        begun[round]?.resolve();
        if (fails[round++]) throw new Error('away');
        await goOn.promise;
        // Nothing ends the pause after the last one but the end of the worker.
        return round < begun.length;
      }
    }
    const worker = new FlappingWorker({ log: spoken, idleMs: 2 ** 30, failureEvent: 'test.flap-failed' });
    const seen = async (): Promise<unknown> => {
      const series = await seriesOf('switchboard_failed_rounds_total');
      const lines = log.errors.filter((event) => event === 'test.flap-failed').length;
      return [series.find((one) => one.includes('test.flap-failed'))?.split(' ')[1], lines];
    };
    worker.onApplicationBootstrap();
    // What has begun has the one before it reported.
    await begun[2]?.promise;
    expect(await seen()).toEqual(['2', 1]);
    goOn.resolve();
    await begun[4]?.promise;
    expect(await seen()).toEqual(['3', 2]);
    await worker.onModuleDestroy();
  });

  it('show each look that failed, of which the log has one line a run', async () => {
    const looks = new RoundFailures(spoken, 'test.look-failed');
    const shown = async (): Promise<readonly string[]> =>
      (await seriesOf('switchboard_failed_rounds_total')).filter((one) => one.includes('test.look-failed'));
    expect(await shown()).toEqual(['switchboard_failed_rounds_total{event="test.look-failed"} 0']);
    const lines = (): number => log.errors.filter((event) => event === 'test.look-failed').length;
    for (let count = 0; count < 3; count++) looks.failed(new Error('the stream is missing'));
    expect(await shown()).toEqual(['switchboard_failed_rounds_total{event="test.look-failed"} 3']);
    expect(lines()).toBe(1);
    looks.succeeded();
    looks.failed(new Error('the stream is missing'));
    expect(lines()).toBe(2);
  });

  it('show how many descriptors are open, of how many', async () => {
    const read = async (name: string): Promise<number> => Number((await seriesOf(name))[0]?.split(' ')[1]);
    const before = await read('process_open_fds');
    const files = await Promise.all(Array.from({ length: 100 }, () => open(process.execPath)));
    // The rest is for what the runner of the tests closes meanwhile.
    expect((await read('process_open_fds')) - before).toBeGreaterThan(50);
    await Promise.all(files.map((file) => file.close()));
    const soft = execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
    expect(await seriesOf('process_max_fds')).toEqual(soft === 'unlimited' ? [] : [`process_max_fds ${soft}`]);
  });

  it('give all that scrape at the same time the same whole answer', async () => {
    const scraped = await Promise.all([metrics.scrape(), metrics.scrape(), metrics.scrape()]);
    expect(new Set(scraped).size).toBe(1);
    expect(scraped[0]).toMatch(/^switchboard_build_info\{service="test",version="[\d.]+",node="v\d.*"\} 1$/m);
    expect(scraped[0]).toMatch(/^process_cpu_seconds_total [\d.]+$/m);
  });

  it('leave out what cannot be observed, say so, and tell the rest', async () => {
    const broken = api.getMeter('test').createObservableGauge('test_broken');
    const fail = (): never => {
      throw new Error('a bug');
    };
    broken.addCallback(fail);
    expect(await seriesOf('test_broken')).toEqual([]);
    expect(await seriesOf('process_uptime_seconds')).toHaveLength(1);
    expect(log.errors).toContain('metrics.observation-failed');
    broken.removeCallback(fail);
  });
});

describe('a reading', () => {
  it('asks once for all that scrape within 5 s', async () => {
    const clock = new HandClock();
    let asked = 0;
    const reading = new CachedGauge({ name: 'asked', read: async () => ++asked, log: spoken, clock });
    expect(await Promise.all([reading.current(), reading.current()])).toEqual([1, 1]);
    clock.nowMs = 4_999;
    expect(await reading.current()).toBe(1);
    clock.nowMs = 5_000;
    expect(await reading.current()).toBe(2);
  });

  it('begins after the other gauges of the scrape were observed, which it must not disturb', async () => {
    let underway = 0;
    const reading = new CachedGauge({ name: 'later', read: async () => ++underway, log: spoken });
    reading.observeAs('test_later', 'Later', (value) => [{ value }]);
    const gauge = api.getMeter('test of another').createObservableGauge('test_underway');
    gauge.addCallback((result) => result.observe(underway));
    expect(await seriesOf('test_underway')).toEqual(['test_underway 0']);
    expect(await seriesOf('test_later')).toEqual(['test_later 1']);
  });

  it('is nothing while its dependency is away, logged once, and comes back', async () => {
    const clock = new HandClock();
    let isAway = true;
    const read = async (): Promise<number> => {
      if (isAway) throw new Error('away');
      return 7;
    };
    const reading = new CachedGauge({ name: 'away', read, log: spoken, clock });
    log.errors.length = 0;
    expect(await reading.current()).toBeNull();
    clock.nowMs += 5_000;
    expect(await reading.current()).toBeNull();
    expect(log.errors).toEqual(['metrics.reading-failed']);
    isAway = false;
    clock.nowMs += 5_000;
    expect(await reading.current()).toBe(7);
  });

  it('that fails, or comes too late for the scrape, counts as a round that failed: alerts over its gauges are blind', async () => {
    const clock = new HandClock();
    const counted = async (): Promise<number> => {
      const series = await seriesOf('switchboard_failed_rounds_total');
      return Number(series.find((line) => line.includes('"metrics.reading-failed"'))?.split(' ')[1]);
    };
    let outcome: () => number = () => 7;
    const reading = new CachedGauge({ name: 'counted', read: async () => outcome(), log: spoken, clock });
    const rise = async (): Promise<number> => {
      const before = await counted();
      clock.nowMs += 5_000;
      await reading.current();
      return (await counted()) - before;
    };
    expect(await rise()).toBe(0);
    outcome = () => {
      throw new Error('a right is missing');
    };
    expect(await rise()).toBe(1);
    outcome = () => (clock.nowMs += 2_501);
    log.errors.length = 0;
    expect([await rise(), await rise(), log.errors]).toEqual([1, 1, []]);
    outcome = () => 7;
    expect(await rise()).toBe(0);
  });

  it('that hangs holds no scrape beyond its deadline, and is not begun again while it hangs', async () => {
    const clock = new HandClock();
    const { promise, resolve } = Promise.withResolvers<number>();
    let asked = 0;
    const read = (): Promise<number> => (asked++, promise);
    const reading = new CachedGauge({ name: 'hangs', read, log: spoken, clock, deadlineMs: 1 });
    expect(await reading.current()).toBeNull();
    clock.nowMs += 60_000;
    expect(await reading.current()).toBeNull();
    expect(asked).toBe(1);
    resolve(3);
    await promise;
    expect(await reading.current()).toBe(3);
  });
});

describe('the internal server', () => {
  it('names the host and the port that it cannot listen at', async () => {
    const server = new InternalServer({ checks: {}, metrics });
    // Of an address for documentation, which no machine has (RFC 5737).
    await expect(server.listen('192.0.2.1', 0)).rejects.toThrow(
      /^SERVICE_HTTP_HOST 192\.0\.2\.1, SERVICE_HTTP_PORT 0: listen EADDRNOTAVAIL/,
    );
  });

  it('answers health and metrics, and readiness while a dependency is away', async () => {
    const checks = { database: () => Promise.reject(new Error('away')) };
    const server = new InternalServer({ checks, metrics });
    const url = await server.listen('127.0.0.1', 0);
    try {
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      const ready = await fetch(`${url}/health/ready`);
      expect([ready.status, await ready.json()]).toEqual([503, { ok: false, checks: { database: 'unavailable' } }]);
      const scraped = await fetch(`${url}/metrics?x=1`);
      expect([scraped.status, scraped.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ]);
      expect(await scraped.text()).toContain('process_uptime_seconds');
      expect((await fetch(`${url}/metrics/other`)).status).toBe(404);
    } finally {
      await server.close();
    }
  });
});
