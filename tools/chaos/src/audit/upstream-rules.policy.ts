import type { Ledgers, StoredMessage, UpstreamRequest } from '../ledger/ledgers.js';
import type { Finding } from './finding.js';

/**
 * Codes after which the same message may be asked for again. Source: provider's "Error codes";
 * docs/api-behaviour.md#messages-never-twice.
 */
const RETRYABLE: ReadonlySet<number> = new Set([2, 4, 80007, 130429, 131016, 131048, 131056, 131057, 131064, 133004]);
/** An event that brings the upstream's word on a message. */
const CALLBACK = /^gateway\.callback\.status\./;

/** What is stored against what the upstream was asked: each message at most once, and none of them nowhere. */
export function upstreamFindings({ messages, requests, inbound, outbox }: Ledgers): Finding[] {
  const calledBack = new Set(outbox.filter(({ subject }) => CALLBACK.test(subject)).map(({ messageId }) => messageId));
  const byReference = Map.groupBy(requests, ({ reference }) => reference ?? '');
  const outbound = messages.filter(({ direction }) => direction === 'OUTBOUND');
  const known = new Set(outbound.map(({ id }) => id));
  return [
    ...[...byReference].flatMap(([reference, own]) => requestFindings(reference, own, known)),
    ...outbound.flatMap((message) => messageFindings(message, byReference.get(message.id) ?? [], calledBack)),
    ...inboundFindings(messages, inbound),
  ];
}

function requestFindings(
  reference: string,
  requests: readonly UpstreamRequest[],
  known: ReadonlySet<string>,
): Finding[] {
  const findings: Finding[] = [];
  if (!known.has(reference)) {
    findings.push({ rule: 'upstream.without-message', detail: `reference ${reference} is not stored` });
  }
  // All but the last must have been refused in a way that allows another.
  const repeated = requests.slice(0, -1).find(({ refusedWith }) => refusedWith === null || !RETRYABLE.has(refusedWith));
  if (repeated !== undefined) {
    const answers = requests.map((request) => request.messageId ?? request.refusedWith ?? request.outcome);
    findings.push({ rule: 'upstream.doubled', detail: `${reference} was asked for again: ${answers.join(', ')}` });
  }
  return findings;
}

function messageFindings(
  message: StoredMessage,
  requests: readonly UpstreamRequest[],
  calledBack: ReadonlySet<string | null>,
): Finding[] {
  const { id, status, dispatch, upstreamMessageId } = message;
  const accepted = requests.find((request) => request.messageId !== null);
  const findings: Finding[] = [];
  if (status === 'QUEUED' && dispatch === null) {
    findings.push({ rule: 'message.lost', detail: `${id} is QUEUED and nothing will ever be done about it` });
  }
  if (status !== 'QUEUED' && dispatch !== null) {
    findings.push({ rule: 'dispatch.leftover', detail: `${id} is ${status} and its attempt still ${dispatch}` });
  }
  // Of a message that was accepted before the mark these ledgers may lack the request that was taken.
  if (message.isSent && accepted === undefined && !message.isCarriedOver) {
    findings.push({ rule: 'message.lost', detail: `${id} says ${status}, and the upstream never accepted it` });
  }
  // Only evidence settles an outcome that is unknown: an answer that was lost, with no callback after it, is none.
  const mayBeOpen = (dispatch === 'UNKNOWN' || dispatch === 'DISPATCHING') && !calledBack.has(id);
  if (accepted !== undefined && !message.isSent && !mayBeOpen) {
    findings.push({ rule: 'message.unsettled', detail: `${id} is ${status}, accepted as ${accepted.messageId}` });
  }
  if (accepted !== undefined && upstreamMessageId !== null && upstreamMessageId !== accepted.messageId) {
    findings.push({ rule: 'message.disagrees', detail: `${id} has ${upstreamMessageId}, not ${accepted.messageId}` });
  }
  return findings;
}

function inboundFindings(messages: readonly StoredMessage[], reported: Ledgers['inbound']): Finding[] {
  const stored = Map.groupBy(
    messages.filter(({ direction }) => direction === 'INBOUND'),
    ({ upstreamMessageId }) => upstreamMessageId ?? '',
  );
  const lost = reported.filter(({ upstreamMessageId, isCertain }) => isCertain && !stored.has(upstreamMessageId));
  return [
    ...lost.map(({ upstreamMessageId }): Finding => ({ rule: 'inbound.lost', detail: upstreamMessageId })),
    ...[...stored]
      .filter(([, rows]) => rows.length > 1)
      .map(([id, rows]): Finding => ({ rule: 'inbound.doubled', detail: `${id} is stored ${rows.length} times` })),
  ];
}
