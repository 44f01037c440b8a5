import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames, topology, type ServiceTopology } from '@switchboard/contracts/topology';
import { eventually } from '@switchboard/testing/eventually';
import { readAlertRules, selectorsOf } from './alert-rules.js';
import type { Api } from './api.js';
import { readMetricsPage } from './metrics-page.js';
import { parseScrape, valuesOf, type ScrapedMetric } from './scrape.js';
import { startUsable, type OwnStack } from './start-everything.js';

/** Whether a service has consumers of events. */
const consumes = (service: string): boolean => {
  const services: Readonly<Record<string, ServiceTopology>> = topology;
  return (services[service]?.consumes.length ?? 0) > 0;
};

type Scrape = ReadonlyMap<string, ScrapedMetric>;

describe('the metrics of running services', () => {
  let all: OwnStack;
  let acme: Api;
  let services: readonly { readonly name: string; readonly metrics: string }[];

  const textOf = async (service: string): Promise<string> => {
    const url = services.find(({ name }) => name === service)?.metrics ?? '';
    const answer = await fetch(url);
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
    return answer.text();
  };
  const scrape = async (service: string): Promise<Scrape> => parseScrape(await textOf(service));
  const one = (scraped: Scrape, name: string, labels: Record<string, string> = {}): number => {
    const values = valuesOf(scraped, name, labels);
    expect([name, labels, values.length]).toEqual([name, labels, 1]);
    return values[0] ?? NaN;
  };

  beforeAll(async () => {
    all = await startUsable();
    acme = all.acme;
    services = all.stack.devJson.processes.flatMap(({ name, metrics }) =>
      metrics === undefined ? [] : [{ name, metrics }],
    );
    const sent = await acme.send('+14155550123', 'canary-5d1c7 body');
    await all.messageWhen(sent.body?.id, 'DELIVERED');
    for (const to of ['+12015550100', '+12015550108']) await acme.send(to, 'canary-5d1c7 body');
    // A job is fed.
    const template = { name: 'welcome', language: 'en_US' };
    const bulk = JSON.stringify({ template, recipients: [{ to: '+14155550124' }] });
    expect((await acme.ask('POST', '/v1/templates/send', bulk)).status).toBe(202);
    const jobs = async (): Promise<boolean> =>
      (await acme.get('/v1/templates/send')).body?.items?.every(({ status }) => status === 'COMPLETED') ?? false;
    await eventually(jobs);
    await acme.get('/v1/conversations');
    // A snooze that ends by itself.
    const conversation = `/v1/conversations/${String(sent.body?.['conversationId'])}`;
    const snooze = { status: 'SNOOZED', snoozedUntil: new Date(Date.now() + 30_000).toISOString() };
    expect((await acme.ask('PATCH', conversation, JSON.stringify(snooze))).body?.status).toBe('SNOOZED');
    await eventually(async () => (await acme.get(conversation)).body?.status === 'OPEN');
    await acme.ask('PROPFIND', '/v1/canary-5d1c7');
  });

  afterAll(async () => all?.end());

  it('are, service by service, what docs/metrics.md says: names, types, labels, values, meanings', async () => {
    const { metrics } = readMetricsPage();
    expect(services.map(({ name }) => name)).toEqual(expect.arrayContaining([...serviceNames]));
    const seen = new Set<string>();
    for (const { name: service } of services) {
      const scraped = await scrape(service);
      const roles = ['all', service, ...(consumes(service) ? ['consumers'] : [])];
      const documented = metrics.filter(({ of }) => of.some((one) => roles.includes(one)));
      const documentedNames = new Set(documented.map(({ name }) => name));
      expect([service, [...scraped.keys()].filter((name) => !documentedNames.has(name))]).toEqual([service, []]);
      // A histogram that observed nothing is not shown; a consumer may be provisioned before it is written.
      const missing = documented.filter(
        ({ name, type, of }) => !scraped.has(name) && type !== 'histogram' && !of.includes('consumers'),
      );
      expect([service, missing.map(({ name }) => name)]).toEqual([service, []]);
      for (const metric of documented) {
        const found = scraped.get(metric.name);
        if (!found) continue;
        seen.add(metric.name);
        expect([service, metric.name, found.type, found.help]).toEqual([
          service,
          metric.name,
          metric.type,
          metric.meaning,
        ]);
        const labels = new Map<string, Set<string>>();
        for (const sample of found.samples) {
          for (const [label, value] of Object.entries(sample.labels)) {
            if (label !== 'le') labels.set(label, (labels.get(label) ?? new Set()).add(value));
          }
        }
        expect([metric.name, [...labels.keys()].sort()]).toEqual([metric.name, Object.keys(metric.labels).sort()]);
        for (const [label, values] of labels) {
          const known = metric.labels[label] ?? [];
          const unknown = [...values].filter((value) => known.length > 0 && !known.includes(value));
          expect([metric.name, label, unknown]).toEqual([metric.name, label, []]);
        }
      }
    }
    expect(metrics.filter(({ name }) => !seen.has(name))).toEqual([]);
  });

  it('move with what happens: sends by what came of them, callbacks, events and batches', async () => {
    const before = { gateway: await scrape('gateway'), messaging: await scrape('messaging') };
    const sent = await acme.send('+14155550123', 'once more');
    await all.messageWhen(sent.body?.id, 'DELIVERED');
    expect((await acme.send('+12015550108', 'cut')).status).toBe(200);
    expect((await acme.send('+12015550100', 'refused')).status).toBe(400);
    expect((await acme.get('/v1/conversations', { authorization: 'Bearer wrong' })).status).toBe(401);

    // A request is measured when its connection has it, which its client may see first.
    const rises = (service: 'gateway' | 'messaging', name: string, labels = {}, by = 1): Promise<boolean> =>
      eventually(async () => {
        const rise = one(await scrape(service), name, labels) - (valuesOf(before[service], name, labels)[0] ?? 0);
        expect([name, labels, rise]).toEqual([name, labels, by]);
        return true;
      });
    for (const outcome of ['accepted', 'unknown', 'refused']) {
      await rises('messaging', 'switchboard_upstream_attempts_total', { outcome });
      await rises('messaging', 'switchboard_upstream_request_duration_seconds_count', { outcome });
      await rises('messaging', 'switchboard_send_duration_seconds_count', { outcome });
    }
    await rises('messaging', 'switchboard_messages_unknown_total', { cause: 'unanswered' });
    const posts = { route: '/v1/messages', method: 'POST' };
    const requests = 'http_server_request_duration_seconds_count';
    await rises('gateway', requests, { ...posts, status: '2xx' }, 2);
    await rises('gateway', requests, { ...posts, status: '4xx' });
    await rises('gateway', 'switchboard_http_refusals_total', { code: 'UNAUTHORIZED' });
    await rises('gateway', 'switchboard_http_refusals_total', { code: 'UPSTREAM_REJECTED' });
    const calls = { rpc: 'rpc.messaging.send-message' };
    const rpcs = 'switchboard_rpc_client_duration_seconds_count';
    await rises('gateway', rpcs, { ...calls, outcome: 'answered' }, 2);
    await rises('gateway', rpcs, { ...calls, outcome: 'refused' });
    await rises('messaging', 'switchboard_batch_items_sum', { batch: 'messaging.accept-message' }, 3);

    // How many callbacks and events the upstream's statuses become is its own affair.
    const grows = (service: 'gateway' | 'messaging', name: string, labels = {}): Promise<boolean> =>
      eventually(
        async () => one(await scrape(service), name, labels) > (valuesOf(before[service], name, labels)[0] ?? 0),
      );
    await grows('gateway', 'switchboard_callbacks_taken_total');
    await grows('messaging', 'switchboard_outbox_published_events_total');
    const consumer = 'messaging-callbacks';
    await grows('messaging', 'switchboard_consumer_events_total', { consumer, outcome: 'applied' });
    await grows('messaging', 'switchboard_consumer_batch_events_sum', { consumer });
  });

  it('have the buckets that alert rules ask for', async () => {
    const asked = readAlertRules().flatMap(({ expr }) =>
      selectorsOf(expr).flatMap(({ name, matchers }) =>
        matchers.filter(({ label }) => label === 'le').flatMap(({ values }) => values.map((le) => ({ name, le }))),
      ),
    );
    expect(asked.length).toBeGreaterThan(0);
    // Each is of one service; a histogram shows its buckets from its first value on.
    for (const { name, le } of asked) {
      await eventually(async () => {
        const scraped = await Promise.all(serviceNames.map((service) => scrape(service)));
        const has = scraped.some((one) => valuesOf(one, name, { le }).length > 0);
        expect([name, le, has]).toEqual([name, le, true]);
        return true;
      });
    }
  });

  it('show no phone number, text, key or id', async () => {
    const texts = await Promise.all(services.map(({ name }) => textOf(name)));
    const key = all.stack.devJson.organizations?.[0]?.apiKey ?? 'none';
    for (const canary of ['4155550123', '2015550108', 'canary-5d1c7', key, key.slice(0, 12)]) {
      expect([canary, texts.filter((text) => text.includes(canary))]).toEqual([canary, []]);
    }
    // What callers choose freely, as methods and paths, is counted as one.
    const unmatched = { method: '_OTHER', route: 'unmatched', status: '4xx' };
    expect(valuesOf(await scrape('gateway'), 'http_server_request_duration_seconds_count', unmatched)).toEqual([1]);
    const values = texts.flatMap((text) =>
      [...parseScrape(text).values()].flatMap(({ samples }) => samples.flatMap(({ labels }) => Object.values(labels))),
    );
    expect(values.length).toBeGreaterThan(100);
    expect(values.filter((value) => /\bc[0-9a-z]{24}\b|\d{6}|@/.test(value))).toEqual([]);
  });

  it('are on no port that callers reach', async () => {
    const bare = (path: string): Promise<number> => fetch(all.baseUrl + path).then(({ status }) => status);
    expect(await bare('/metrics')).toBe(404);
    expect((await acme.get('/v1/metrics')).status).toBe(404);
    const internal = new URL(services.find(({ name }) => name === 'gateway')?.metrics ?? '');
    expect(internal.port).not.toBe(new URL(all.baseUrl).port);
    expect(await bare('/health/ready')).toBe(200);
    expect((await fetch(new URL('/health/ready', internal))).status).toBe(200);
    expect((await fetch(new URL('/v1/ping', internal))).status).toBe(404);
  });
});
