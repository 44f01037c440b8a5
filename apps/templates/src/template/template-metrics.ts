import { metrics } from '@opentelemetry/api';
import { templateStatuses, type TemplateStatus } from '@switchboard/contracts/templates/http';

/** Where a fact about a template's status came from. */
const statusSources = ['list', 'callback', 'refusal'] as const;
/** One of `statusSources`. */
export type StatusSource = (typeof statusSources)[number];

/** What became of a fact that a callback or a refusal brought. */
const factOutcomes = [
  'applied',
  'older',
  'unknown-account',
  'unknown-template',
  'unknown-event',
  'unreadable',
] as const;
/** One of `factOutcomes`. */
export type FactOutcome = (typeof factOutcomes)[number];

/** What is counted of the statuses of templates. */
export interface TemplateMetrics {
  statusChanged(to: TemplateStatus, source: StatusSource): void;
  fact(outcome: FactOutcome): void;
}

let made: TemplateMetrics | undefined;

/** Made when first used, and that is after the process began to measure. */
export function templateMetrics(): TemplateMetrics {
  return (made ??= makeTemplateMetrics());
}

function makeTemplateMetrics(): TemplateMetrics {
  const meter = metrics.getMeter('@switchboard/templates');
  const changes = meter.createCounter('switchboard_template_status_changes_total', {
    description: 'Changes of the status of known templates, by the status and by what brought the news',
  });
  for (const source of statusSources) for (const status of templateStatuses) changes.add(0, { status, source });
  const facts = meter.createCounter('switchboard_template_facts_total', {
    description: 'Statuses of templates that callbacks and refused sends brought, by what became of them',
  });
  for (const outcome of factOutcomes) facts.add(0, { outcome });
  return {
    statusChanged: (status, source) => changes.add(1, { status, source }),
    fact: (outcome) => facts.add(1, { outcome }),
  };
}
