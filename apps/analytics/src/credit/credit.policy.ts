import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { RollupDifference } from '../rollup/rollup.repository.js';
import type { CreditChange } from './credit.repository.js';

/** What a change of a message's credit adds to the counts of its template, or takes from them. */
export function creditDifferences(change: CreditChange): RollupDifference[] {
  const { organizationId, id, channelId, templateId } = change;
  const common = { organizationId, report: 'templates' as const, at: cuidTime(id), channelId };
  const difference = (what: string, was: boolean, is: boolean): RollupDifference[] =>
    was === is ? [] : [{ ...common, key: `${templateId}:${what}`, by: is ? 1 : -1 }];
  return [
    ...difference('replied', change.wasReplied, change.isReplied),
    ...difference('opted-out', change.wasOptedOut, change.isOptedOut),
  ];
}
