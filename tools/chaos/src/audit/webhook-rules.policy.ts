import { finding, type Finding } from './finding.js';
import { behindNewer, type PlacedEvent } from './placed-event.js';

/** An event that webhooks carry, of an organization with a webhook, as its owner committed it. */
export interface CommittedEvent {
  readonly id: string;
}

/** A request as the receiver took it. */
export interface WebhookArrival extends PlacedEvent {
  /** The bytes. */
  readonly body: string;
  readonly isSigned: boolean;
  /** With which status the receiver answered. */
  readonly answered: number;
}

/** An attempt as it was recorded. */
export interface RecordedAttempt {
  readonly eventId: string;
  readonly kind: 'AUTOMATIC' | 'MANUAL' | 'REPLAY';
  readonly outcome: 'SUCCEEDED' | 'FAILED';
  readonly error: string | null;
}

/** What is known of the deliveries to one webhook of each organization, by those who know it independently. */
export interface WebhookLedger {
  readonly committed: readonly CommittedEvent[];
  /** The stored body of each event, by its id. */
  readonly bodies: ReadonlyMap<string, string>;
  readonly attempts: readonly RecordedAttempt[];
  /** In the order of arrival. */
  readonly arrivals: readonly WebhookArrival[];
  /** Ids of events that were stored before a replay was asked for that names them. */
  readonly replayed: ReadonlySet<string>;
}

/**
 * Compares events, stored bodies, attempts and arrivals: each event arrives, with the bytes that are stored and signed, is
 * recorded as delivered once by itself, and by each replay of it; no request is made that is not recorded; and what was
 * attempted once keeps the order of its conversation.
 */
export function webhookFindings(ledger: WebhookLedger): readonly Finding[] {
  const arrivalsOf = Map.groupBy(ledger.arrivals, ({ dataId }) => dataId);
  const attemptsOf = Map.groupBy(ledger.attempts, ({ eventId }) => eventId);
  const findings = ledger.committed.flatMap(({ id }) => {
    const body = ledger.bodies.get(id);
    if (body === undefined) return [finding('webhook.lost', `${id} was committed and is not stored`)];
    const [arrivals, attempts] = [arrivalsOf.get(id) ?? [], attemptsOf.get(id) ?? []];
    return [
      ...arrivalFindings(id, body, arrivals),
      ...attemptFindings(id, arrivals, attempts),
      ...replayFindings(id, ledger.replayed, attempts),
    ];
  });
  const known = new Set(ledger.committed.map(({ id }) => id));
  const strangers = [...arrivalsOf.keys()].filter((id) => !known.has(id));
  return [
    ...findings,
    ...strangers.map((id) => finding('webhook.unrecorded', `${id} arrived and was never committed`)),
    ...orderFindings(ledger.arrivals, attemptsOf),
  ];
}

/** First attempts alone: one that has failed, or that a kill has interrupted, is made again later. */
function orderFindings(
  arrivals: readonly WebhookArrival[],
  attemptsOf: ReadonlyMap<string, readonly RecordedAttempt[]>,
): Finding[] {
  const once = arrivals.filter(({ dataId }) => (attemptsOf.get(dataId)?.length ?? 0) <= 1);
  return behindNewer(once, 'arrived').map((detail) => finding('webhook.order', detail));
}

function arrivalFindings(id: string, body: string, arrivals: readonly WebhookArrival[]): Finding[] {
  const findings: Finding[] = [];
  if (arrivals.length === 0) findings.push(finding('webhook.lost', `${id} is stored and did not arrive`));
  if (arrivals.some((arrival) => arrival.body !== body)) {
    findings.push(finding('webhook.changed', `${id} arrived with other bytes than are stored`));
  }
  if (arrivals.some(({ isSigned }) => !isSigned)) findings.push(finding('webhook.changed', `${id} is not signed`));
  return findings;
}

function attemptFindings(
  id: string,
  arrivals: readonly WebhookArrival[],
  attempts: readonly RecordedAttempt[],
): Finding[] {
  const findings: Finding[] = [];
  if (arrivals.length > attempts.length) {
    const detail = `${id} arrived ${arrivals.length} times, with ${attempts.length} attempts`;
    findings.push(finding('webhook.unrecorded', detail));
  }
  const succeeded = attempts.filter(({ outcome }) => outcome === 'SUCCEEDED');
  const byItself = succeeded.filter(({ kind }) => kind !== 'REPLAY').length;
  if (byItself !== 1) findings.push(finding('webhook.disagrees', `${id} is recorded as delivered ${byItself} times`));
  const taken = arrivals.filter(({ answered }) => answered === 200).length;
  if (arrivals.length > 0 && succeeded.length > taken) {
    const detail = `${id} is recorded as delivered ${succeeded.length} times, and was taken ${taken} times`;
    findings.push(finding('webhook.disagrees', detail));
  }
  const failed = attempts.filter(({ outcome, error }) => outcome === 'FAILED' && error !== 'interrupted');
  const refused = arrivals.length - taken;
  if (failed.length > refused) {
    const errors = failed.map(({ error }) => error ?? 'a status').join(', ');
    findings.push(finding('webhook.disagrees', `${id} failed (${errors}), and was refused ${refused} times`));
  }
  return findings;
}

function replayFindings(
  id: string,
  replayed: ReadonlySet<string>,
  attempts: readonly RecordedAttempt[],
): readonly Finding[] {
  const hasArrived = attempts.some(({ kind, outcome }) => kind === 'REPLAY' && outcome === 'SUCCEEDED');
  return replayed.has(id) && !hasArrived
    ? [finding('webhook.lost', `${id} was replayed and did not arrive again`)]
    : [];
}
