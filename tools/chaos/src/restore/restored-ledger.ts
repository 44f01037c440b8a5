import { serviceNames, topology, type ServiceTopology } from '@switchboard/contracts/topology';
import { eventually } from '@switchboard/testing/eventually';
import type { Finding } from '../audit/finding.js';
import { upstreamFindings } from '../audit/upstream-rules.policy.js';
import type { Ledgers } from '../ledger/ledgers.js';
import type { Stage } from '../stage/stage.js';

/** Accepted messages, and what is open of them. */
export interface KnownMessages {
  /** Ids of outbound messages. */
  readonly ids: ReadonlySet<string>;
  /** Attempts that a restore has taken back and no status has settled. */
  readonly takenBack: number;
}

/** Restores that each service has noticed, all together; services that do not run have no row. */
export async function consumerEpochs({ database }: Stage): Promise<ReadonlyMap<string, number>> {
  const all = serviceNames.map((name) => `SELECT '${name}' AS name, consumer_epoch AS epoch FROM ${name}.incarnation`);
  const rows = await database.query<{ name: string; epoch: number }>(all.join(' UNION ALL '));
  return new Map(rows.map(({ name, epoch }) => [name, epoch]));
}

/** What messaging holds. */
export async function knownMessages({ database }: Stage): Promise<KnownMessages> {
  const rows = await database.query<{ id: string }>("SELECT id FROM messaging.message WHERE direction = 'OUTBOUND'");
  const [open] = await database.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM messaging.dispatch WHERE lease = 'restored' AND state = 'UNKNOWN'",
  );
  return { ids: new Set(rows.map(({ id }) => id)), takenBack: open?.count ?? 0 };
}

/** `consumer event` of the first so many events of the broker that concern a consumer and that it has neither applied nor given up. */
export async function unappliedOfBroker({ database, recorder }: Stage, first: number): Promise<string[]> {
  const unapplied: string[] = [];
  const seen = recorder.seen.slice(0, first);
  for (const [service, { consumes }] of Object.entries<ServiceTopology>(topology)) {
    for (const consumer of consumes) {
      const { name, filter } = consumer;
      const prefix = filter.replace(/>$/, '');
      const taken = seen.filter(({ id, subject }) => subject.startsWith(prefix) && recorder.concerns(consumer, id));
      const ids = taken.map(({ id }) => id);
      const rows = await database.query<{ id: string }>(
        `SELECT s.id FROM unnest($1::text[]) AS s(id)
         WHERE NOT EXISTS (SELECT FROM ${service}.inbox i WHERE i.event_id = s.id COLLATE "C" AND i.consumer = $2)
           AND NOT EXISTS (SELECT FROM ${service}.dead_letter d WHERE d.event_id = s.id COLLATE "C" AND d.consumer = $2)`,
        [ids, name],
      );
      unapplied.push(...rows.map(({ id }) => `${name} ${id}`));
    }
  }
  return unapplied;
}

/** Waits until every consumer has applied the first so many events of the broker. @returns a finding when it has not within the time */
export async function untilApplied(stage: Stage, first: number, deadlineMs: number): Promise<Finding[]> {
  const unapplied = (): Promise<string[]> => unappliedOfBroker(stage, first);
  return eventually(async () => (await unapplied()).length === 0, { deadlineMs }).then(
    () => [],
    async () => [{ rule: 'event.unapplied', detail: `${(await unapplied())[0]} and others` }],
  );
}

/** Requests that were made again though the former was not refused as retryable, over the whole log of the upstream. */
export async function doubledRequests({ simulator }: Stage): Promise<Finding[]> {
  const nothing = { sends: [], numbers: new Map(), inbound: [], messages: [], deadLetters: [], taken: new Map() };
  const ledgers: Ledgers = {
    ...nothing,
    requests: await simulator.requestsFrom(0),
    outbox: [],
    seen: [],
    unapplied: [],
    sequences: new Map(),
  };
  return upstreamFindings(ledgers).filter(({ rule }) => rule === 'upstream.doubled');
}
