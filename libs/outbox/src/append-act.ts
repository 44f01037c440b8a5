import type { ActFacts, AuditedActor } from '@switchboard/contracts/grammar/audited-act';
import type { EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { statement, type Queryable, type Transaction } from '@switchboard/postgres';
import { appendEvents } from './append-events.js';

const findSql = statement<{ payload: string }>('outbox.event.find', 'SELECT payload FROM outbox WHERE id = $1');

/** An act that the audit log is to hold. */
export interface AuditedAct<Action extends string> extends Omit<ActFacts<Action>, 'by'> {
  readonly event: EventDefinition<ActFacts<Action>>;
  readonly organizationId: string;
  readonly aggregateId: string;
}

/**
 * Emits the event of an act, in the transaction that does it, so that the audit log gets it whatever fails behind it. What the act
 * changes must be locked, and `findAct` null.
 *
 * @param by absent: the caller is of the release before, and writes the log alone
 */
export function appendAct<Action extends string>(
  tx: Transaction,
  by: AuditedActor | undefined,
  act: AuditedAct<Action>,
): void {
  if (!by) return;
  const { event, organizationId, aggregateId, ...facts } = act;
  const of = { id: by.actId, event, organizationId, aggregateId, sequence: null };
  appendEvents(tx, [{ ...of, occurredAt: new Date(), data: { ...facts, by } }]);
}

/**
 * An act as it was done before: it is asked for again when its answer was lost. What the act changes must be locked.
 *
 * @param by absent: the caller is of the release before, and is not known to ask again
 * @returns null when it was not done
 */
export async function findAct(tx: Transaction, by: AuditedActor | undefined): Promise<ActFacts<string> | null> {
  const found = by ? await findEvent<ActFacts<string>>(tx, by.actId) : null;
  return found?.data ?? null;
}

/** An event of this service by its id, for as long as the outbox keeps it; null when there is none. */
export async function findEvent<Data>(through: Queryable, id: string): Promise<EventEnvelope<Data> | null> {
  const [found] = await through.query(findSql, [id]);
  return found ? (JSON.parse(found.payload) as EventEnvelope<Data>) : null;
}
