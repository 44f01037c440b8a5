import type { TemplateCounts, TemplateFigures } from '@switchboard/contracts/analytics/http';
import type { Counts } from '../rollup/report.policy.js';

/** How a template is called, for reports. */
export type NameOf = (templateId: string) => { readonly name: string; readonly language: string };

const FIELD_OF: Readonly<Record<string, keyof TemplateCounts>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  replied: 'replied',
  'opted-out': 'optedOut',
};
const NONE: TemplateCounts = { sent: 0, delivered: 0, read: 0, replied: 0, optedOut: 0 };

/** The figures of counts whose keys are `templates:<template>:<what>`. */
export function templateFiguresOf(counts: Counts, nameOf: NameOf): TemplateFigures {
  const uses = new Map<string, TemplateCounts>();
  let all = NONE;
  for (const [key, count] of counts) {
    const [, templateId = '', what = ''] = key.split(':');
    const field = FIELD_OF[what];
    if (!field) continue;
    const use = uses.get(templateId) ?? NONE;
    uses.set(templateId, { ...use, [field]: use[field] + count });
    all = { ...all, [field]: all[field] + count };
  }
  const templates = [...uses].map(([templateId, use]) => ({ templateId, ...nameOf(templateId), ...use }));
  return { ...all, templates: templates.sort((a, b) => b.sent - a.sent || (a.templateId < b.templateId ? -1 : 1)) };
}
