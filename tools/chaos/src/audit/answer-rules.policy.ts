import type { Ledgers, Send, StoredMessage, ToldNumbers, UpstreamRequest } from '../ledger/ledgers.js';
import type { Finding } from './finding.js';

/** 400, 403: refused by us or by the upstream. 503: not now. Everything else is a fault of ours or of the harness. */
const EXPECTED_STATUSES: ReadonlySet<number> = new Set([200, 400, 403, 503]);

/** The answers to callers against what is stored: nothing is confirmed that is not there, nothing is there unnamed. */
export function answerFindings({ sends, numbers, messages, requests }: Ledgers): Finding[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const byText = Map.groupBy(
    messages.filter(({ direction }) => direction === 'OUTBOUND'),
    ({ text }) => text ?? '',
  );
  const asked = Map.groupBy(requests, ({ reference }) => reference ?? '');
  return [
    ...sends.flatMap((send) => {
      const stored = byText.get(send.text) ?? [];
      return [...answerFinding(send, stored, byId, asked), ...doubledFinding(send, stored)];
    }),
    ...contactFindings(numbers),
  ];
}

function answerFinding(
  { outcome, text }: Send,
  stored: readonly StoredMessage[],
  byId: ReadonlyMap<string, StoredMessage>,
  asked: ReadonlyMap<string, readonly UpstreamRequest[]>,
): Finding[] {
  // Without an answer the caller knows nothing, and may find anything.
  if (outcome.kind !== 'answered') return [];
  const { status, id, headerId } = outcome;
  const what = `«${text}» answered ${status} ${outcome.code ?? ''}`;
  const findings: Finding[] = [];
  const isEnveloped = status < 300 || outcome.code !== null;
  if (!EXPECTED_STATUSES.has(status) || !isEnveloped) findings.push({ rule: 'answer.unexpected', detail: what });
  for (const problem of outcome.undescribed)
    findings.push({ rule: 'answer.undescribed', detail: `${what}: ${problem}` });
  if (status < 300) {
    const message = id === null ? undefined : byId.get(id);
    if (message === undefined) {
      findings.push({ rule: 'answer.false-success', detail: `${what} with id ${id}, which is not stored` });
    } else if (differs(outcome, message) || message.text !== text) {
      findings.push({ rule: 'answer.disagrees', detail: `${what}, stored otherwise as ${id}` });
    }
    return findings;
  }
  const hidden = stored.find((message) => message.id !== headerId);
  if (hidden !== undefined) {
    const where = asked.has(hidden.id) ? 'stored and at the upstream' : 'stored';
    findings.push({
      rule: 'answer.hides-send',
      detail: `${what} and X-Message-Id ${headerId}; ${hidden.id} is ${where}`,
    });
  }
  const named = stored.find((message) => message.id === headerId);
  if (status < 500 && named !== undefined && !isRefused(named, asked.get(named.id) ?? [])) {
    const detail = `${what}; ${named.id} is ${named.status} ${named.dispatch ?? ''}`;
    findings.push({ rule: 'answer.false-refusal', detail });
  }
  return findings;
}

/** What the caller takes for refused for good: it failed, and the upstream has never taken it. */
function isRefused({ status, dispatch }: StoredMessage, requests: readonly UpstreamRequest[]): boolean {
  if (requests.some(({ messageId }) => messageId !== null)) return false;
  // The answer goes out although the record must wait for the database: it comes later, or the lease's end is UNKNOWN.
  const isRecordedLater = status === 'QUEUED' && (dispatch === 'DISPATCHING' || dispatch === 'UNKNOWN');
  return status === 'FAILED' || isRecordedLater;
}

function differs(outcome: Extract<Send['outcome'], { kind: 'answered' }>, message: StoredMessage): boolean {
  return (
    outcome.contactId !== message.contactId ||
    outcome.conversationId !== message.conversationId ||
    (outcome.upstreamMessageId !== null && outcome.upstreamMessageId !== message.upstreamMessageId)
  );
}

function doubledFinding({ text }: Send, stored: readonly StoredMessage[]): Finding[] {
  if (stored.length < 2) return [];
  return [{ rule: 'send.doubled', detail: `«${text}» is stored as ${stored.map(({ id }) => id).join(' and ')}` }];
}

/** Every send goes out on the organization's default line, so one number is one contact in one conversation. */
function contactFindings(numbers: ToldNumbers): Finding[] {
  return [...numbers].flatMap(([whom, seen]): Finding[] => {
    if (seen.length < 2) return [];
    const each = seen.map(({ contactId, conversationId }) => `${contactId} in ${conversationId}`);
    return [{ rule: 'contact.doubled', detail: `${whom} is ${each.join(' and ')}` }];
  });
}
