import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { RollupDifference } from '../rollup/rollup.repository.js';
import type { CreditedFact } from './fact-range.repository.js';
import { figuresOf } from './figures.policy.js';

/** Everything that a fact counts in, what its template is credited with included. @param by 1 to count it, -1 to take it back */
export function countsOf(fact: CreditedFact, by: 1 | -1): RollupDifference[] {
  const { organizationId, id, channelId, templateId, isReplied, isOptedOut } = fact;
  const common = { organizationId, at: cuidTime(id), channelId, by };
  const counts: RollupDifference[] = figuresOf(fact).map((figure) => ({ ...figure, ...common }));
  if (templateId === null) return counts;
  if (isReplied) counts.push({ ...common, report: 'templates', key: `${templateId}:replied` });
  if (isOptedOut) counts.push({ ...common, report: 'templates', key: `${templateId}:opted-out` });
  return counts;
}
