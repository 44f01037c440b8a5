import type { TemplateCounts, TemplateFigures } from '@switchboard/contracts/analytics/http';
import type { Counts } from '../rollup/counts.js';

/** How a template is called, for reports. */
export type NameOf = (templateId: string) => { readonly name: string; readonly language: string };

const FIELD_OF: Readonly<Record<string, keyof TemplateCounts>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  replied: 'replied',
  'opted-out': 'optedOut',
};
const none = (): Sums => ({ sent: 0, delivered: 0, read: 0, replied: 0, optedOut: 0 });

type Sums = { -readonly [Field in keyof TemplateCounts]: TemplateCounts[Field] };

/** The figures of the counts of the report templates, whose keys are `<template>:<what>`. */
export function templateFiguresOf(counts: Counts, nameOf: NameOf): TemplateFigures {
  const uses = new Map<string, Sums>();
  const all = none();
  for (const [key, count] of counts.of('templates')) {
    const colon = key.indexOf(':');
    const field = FIELD_OF[key.slice(colon + 1)];
    if (!field) continue;
    const templateId = key.slice(0, colon);
    let use = uses.get(templateId);
    if (!use) uses.set(templateId, (use = none()));
    use[field] += count;
    all[field] += count;
  }
  const templates = [...uses].map(([templateId, use]) => ({ templateId, ...nameOf(templateId), ...use }));
  return { ...all, templates: templates.sort((a, b) => b.sent - a.sent || (a.templateId < b.templateId ? -1 : 1)) };
}
