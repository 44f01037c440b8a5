import type { Finding } from '../audit/finding.js';
import type { Send } from '../ledger/ledgers.js';

/** Sends that failed, for faults that promise that none does: 5xx, a reset, no connection. */
export function failedSends(sends: readonly Send[], when: string): Finding[] {
  return sends.flatMap(({ text, to, outcome, startedMs, endedMs }) => {
    const isFailed = outcome.kind !== 'answered' || outcome.status >= 500;
    if (!isFailed) return [];
    const how = outcome.kind === 'answered' ? `${outcome.status} ${outcome.code}` : `${outcome.kind} ${outcome.error}`;
    const detail = `${when}: «${text}» to ${to}: ${how} after ${endedMs - startedMs} ms`;
    return [{ rule: 'send.failed' as const, detail }];
  });
}
