import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { metrics as api } from '@opentelemetry/api';
import { createLog, startMetrics, type Metrics } from '@switchboard/platform';
import { OpenRequests } from './open-requests.js';
import { RequestMetrics } from './request-metrics.js';

let metrics: Metrics;
beforeAll(() => {
  metrics = startMetrics('gateway', createLog('gateway'));
});
afterAll(async () => {
  await metrics.stop();
  api.disable();
});

it('requests that their callers left are counted apart from those that were refused', async () => {
  const requests = new RequestMetrics(new OpenRequests(new AbortController().signal));
  const request = { method: 'POST', route: '/upstream/cloud/callbacks', durationMs: 1, code: null };
  for (const status of [200, 401, 404, 499, 499, 499, 503]) requests.ended({ ...request, status });
  const counts = [...(await metrics.scrape()).matchAll(/^http_server_\w+_count\{.*status="(\w+)"\} (\d+)$/gm)];
  expect(counts.map(([, status, count]) => [status, Number(count)])).toEqual([
    ['2xx', 1],
    ['4xx', 2],
    ['499', 3],
    ['5xx', 1],
  ]);
});

it('the codes of refusals that alerts look at are 0 from the start', async () => {
  new RequestMetrics(new OpenRequests(new AbortController().signal));
  const rules = readFileSync(join(import.meta.dirname, '../../../../deploy/prometheus/alerts.yml'), 'utf8');
  const asked = new Set([...rules.matchAll(/http_refusals_total\{code="(\w+)"\}/g)].map(([, code]) => code));
  const shown = [...(await metrics.scrape()).matchAll(/^switchboard_http_refusals_total\{code="(\w+)"\} 0$/gm)];
  expect(asked.size).toBeGreaterThan(1);
  expect(shown.map(([, code]) => code)).toEqual(expect.arrayContaining([...asked]));
});
