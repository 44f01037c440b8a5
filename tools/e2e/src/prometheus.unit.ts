import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@switchboard/contracts/topology';
import { parse } from 'yaml';
import { readAlertRules, selectorsOf } from './alert-rules.js';
import { readMetricsPage, root, type DocumentedMetric } from './metrics-page.js';

const yamlOf = (path: string): unknown => parse(readFileSync(join(root, path), 'utf8'), { merge: true });
const rules = readAlertRules();
const { metrics, alerts } = readMetricsPage();
/** Labels that Prometheus itself gives a series. */
const SCRAPED = new Set(['job', 'instance', 'le']);
function documented(name: string): DocumentedMetric | undefined {
  return metrics.find((metric) =>
    metric.type === 'histogram'
      ? [`${metric.name}_bucket`, `${metric.name}_sum`, `${metric.name}_count`].includes(name)
      : metric.name === name,
  );
}

describe('the alert rules', () => {
  it('name metrics, labels and values that docs/metrics.md has, and nothing else', () => {
    let asked = 0;
    for (const { alert, expr } of rules) {
      const selectors = selectorsOf(expr);
      expect([alert, selectors.length > 0]).toEqual([alert, true]);
      for (const { name, matchers } of selectors.filter((selector) => selector.name !== 'up')) {
        asked++;
        const metric = documented(name);
        expect([alert, name, metric !== undefined]).toEqual([alert, name, true]);
        for (const { label, values } of matchers.filter((matcher) => !SCRAPED.has(matcher.label))) {
          expect([alert, name, label, label in (metric?.labels ?? {})]).toEqual([alert, name, label, true]);
          const known = metric?.labels[label] ?? [];
          if (known.length > 0) expect([alert, values.filter((value) => !known.includes(value))]).toEqual([alert, []]);
        }
      }
    }
    expect(asked).toBeGreaterThan(rules.length);
  });

  it('name every service that may be gone: its series would be gone as well', () => {
    const gone = rules.find(({ alert }) => alert === 'ServiceGone')?.expr ?? '';
    const named = selectorsOf(gone).flatMap(({ matchers }) => matchers.flatMap(({ values }) => values));
    expect(named).toEqual(serviceNames);
    expect(gone.split(/\s+or\s+/)).toEqual(serviceNames.map((service) => `absent(up{job="${service}"})`));
  });

  it('see what the start of a process counts before its first scrape, which is no rise to Prometheus', () => {
    const counted = [
      'switchboard_messages_unknown_total',
      'switchboard_messages_expired_total',
      'switchboard_outbox_lost_streams_total',
      'switchboard_outbox_restored_databases_total',
      'switchboard_restores_total',
      'switchboard_promotions_total',
    ];
    const asking = rules.flatMap(({ alert, expr }) => {
      const asked = selectorsOf(expr).some(
        ({ name, matchers }) =>
          counted.includes(name) ||
          (name === 'switchboard_webhook_attempts_total' &&
            matchers.some(({ values }) => values.includes('interrupted'))),
      );
      return asked ? [{ alert, seesStarts: expr.includes('process_uptime_seconds') }] : [];
    });
    expect(asking.length).toBeGreaterThanOrEqual(7);
    expect(asking.filter(({ seesStarts }) => !seesStarts)).toEqual([]);
  });

  it('that page for calls and requests which fail look back less far than they wait: a burst pages not when it is over', () => {
    const minutes = (text = ''): number => Number(/^(\d+)m$/.exec(text)?.[1]);
    for (const name of ['RequestsFail', 'CallsUnanswered']) {
      const rule = rules.find(({ alert }) => alert === name);
      const windows = [...(rule?.expr ?? '').matchAll(/\[(\w+)\]/g)].map(([, window]) => minutes(window));
      expect([name, windows.length > 0, Math.max(...windows) < minutes(rule?.for)]).toEqual([name, true, true]);
    }
  });

  it('ask for no bucket at a whole number, which Prometheus 3 stores in another form than it is scraped in', () => {
    const bounds = rules.flatMap(({ expr }) =>
      selectorsOf(expr).flatMap(({ matchers }) =>
        matchers.filter(({ label }) => label === 'le').flatMap(({ values }) => values),
      ),
    );
    expect(bounds.length).toBeGreaterThan(0);
    expect(bounds.filter((bound) => Number.isInteger(Number(bound)))).toEqual([]);
  });

  it('group and print by labels that their metrics have', () => {
    for (const { alert, expr, annotations } of rules) {
      const own = new Set(selectorsOf(expr).flatMap(({ name }) => Object.keys(documented(name)?.labels ?? {})));
      const grouped = [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/));
      const printed = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      const unknown = [...grouped, ...printed].filter((label) => !own.has(label) && !SCRAPED.has(label));
      expect([alert, unknown]).toEqual([alert, []]);
      // What an aggregation drops cannot be printed.
      if (/\b(sum|max|min|avg)\b/.test(expr))
        expect([alert, printed.filter((l) => !grouped.includes(l))]).toEqual([alert, []]);
    }
  });

  it('print a number that may be large or broken as people read it, and not as 1.234567e+06', () => {
    const wide = /_seconds|_transactions\b|_backlog_events\b/;
    const bare = rules.filter(
      ({ expr, annotations: { summary } }) => wide.test(expr) && summary.includes('{{ $value }}'),
    );
    expect(bare.map(({ alert }) => alert)).toEqual([]);
  });

  it('stand in docs/metrics.md with their severity and what to do', () => {
    const configured = rules.map(({ alert: name, labels: { severity } }) => ({ name, severity }));
    const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
    expect([...alerts].sort(byName)).toEqual(configured.sort(byName));
  });
});

describe('the scrape configuration', () => {
  it('asks every service of the topology where docker-compose.yml lets it answer', () => {
    const config = yamlOf('deploy/prometheus/prometheus.yml') as {
      rule_files: string[];
      scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; type: string; port: number }[] }[];
    };
    const compose = yamlOf('docker-compose.yml') as {
      services: Record<string, { environment: Record<string, string> }>;
    };
    expect(config.rule_files).toEqual(['alerts.yml']);
    const targets = config.scrape_configs.map(({ job_name: job, dns_sd_configs: found }) => [job, found]);
    const wanted = serviceNames.map((service) => {
      const { SERVICE_HTTP_HOST: host, SERVICE_HTTP_PORT: port } = compose.services[service]?.environment ?? {};
      expect([service, host]).toEqual([service, '0.0.0.0']);
      return [service, [{ names: [service], type: 'A', port: Number(port) }]];
    });
    expect(targets).toEqual(wanted);
  });
});
