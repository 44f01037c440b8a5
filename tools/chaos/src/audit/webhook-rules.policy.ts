import type { Finding } from './finding.js';

/** An event that webhooks carry, of an organization with a webhook, as its owner committed it. */
export interface CommittedEvent {
  readonly id: string;
}

/** A request as the receiver took it. */
export interface WebhookArrival {
  readonly dataId: string;
  readonly conversationId: string | null;
  readonly sequence: number | null;
  /** The bytes. */
  readonly body: string;
  readonly isSigned: boolean;
}

/** An attempt as it was recorded. */
export interface RecordedAttempt {
  readonly eventId: string;
  readonly number: number;
  readonly outcome: 'SUCCEEDED' | 'FAILED';
  readonly error: string | null;
}

/** What is known of the deliveries to a receiver that answers everything with 200, by those who know it independently. */
export interface WebhookLedger {
  readonly committed: readonly CommittedEvent[];
  /** The stored body of each event, by its id. */
  readonly bodies: ReadonlyMap<string, string>;
  readonly attempts: readonly RecordedAttempt[];
  /** In the order of arrival. */
  readonly arrivals: readonly WebhookArrival[];
}

/**
 * Compares events, stored bodies, attempts and arrivals: each event arrives, with the bytes that are stored and signed, is
 * recorded as delivered once, no request is made that is not recorded, and first attempts of a conversation keep its order.
 */
export function webhookFindings(ledger: WebhookLedger): readonly Finding[] {
  const arrivalsOf = Map.groupBy(ledger.arrivals, ({ dataId }) => dataId);
  const attemptsOf = Map.groupBy(ledger.attempts, ({ eventId }) => eventId);
  const findings = ledger.committed.flatMap(({ id }) => {
    const body = ledger.bodies.get(id);
    if (body === undefined) return [finding('webhook.lost', `${id} was committed and is not stored`)];
    return eventFindings(id, body, arrivalsOf.get(id) ?? [], attemptsOf.get(id) ?? []);
  });
  const known = new Set(ledger.committed.map(({ id }) => id));
  const strangers = [...arrivalsOf.keys()].filter((id) => !known.has(id));
  return [
    ...findings,
    ...strangers.map((id) => finding('webhook.unrecorded', `${id} arrived and was never committed`)),
    ...orderFindings(ledger),
  ];
}

/** First attempts alone: one that a kill has interrupted is made again later. */
function orderFindings({ arrivals, attempts }: WebhookLedger): Finding[] {
  const repeated = new Set(attempts.filter(({ number }) => number > 1).map(({ eventId }) => eventId));
  const last = new Map<string, number>();
  const findings: Finding[] = [];
  for (const { dataId, conversationId, sequence } of arrivals) {
    if (conversationId === null || sequence === null || repeated.has(dataId)) continue;
    const former = last.get(conversationId) ?? 0;
    if (sequence < former) {
      findings.push(finding('webhook.order', `${dataId}, ${sequence} of ${conversationId}, arrived after ${former}`));
    }
    last.set(conversationId, Math.max(former, sequence));
  }
  return findings;
}

function eventFindings(
  id: string,
  body: string,
  arrivals: readonly WebhookArrival[],
  attempts: readonly RecordedAttempt[],
): Finding[] {
  const findings: Finding[] = [];
  if (arrivals.length === 0) findings.push(finding('webhook.lost', `${id} is stored and did not arrive`));
  if (arrivals.some((arrival) => arrival.body !== body)) {
    findings.push(finding('webhook.changed', `${id} arrived with other bytes than are stored`));
  }
  if (arrivals.some(({ isSigned }) => !isSigned)) findings.push(finding('webhook.changed', `${id} is not signed`));
  if (arrivals.length > attempts.length) {
    const detail = `${id} arrived ${arrivals.length} times, with ${attempts.length} attempts`;
    findings.push(finding('webhook.unrecorded', detail));
  }
  const succeeded = attempts.filter(({ outcome }) => outcome === 'SUCCEEDED').length;
  if (succeeded !== 1) findings.push(finding('webhook.disagrees', `${id} is recorded as delivered ${succeeded} times`));
  const excused = attempts.every(({ outcome, error }) => outcome === 'SUCCEEDED' || error === 'interrupted');
  if (!excused) findings.push(finding('webhook.disagrees', `${id} failed at a receiver that answers 200`));
  return findings;
}

function finding(rule: Finding['rule'], detail: string): Finding {
  return { rule, detail };
}
