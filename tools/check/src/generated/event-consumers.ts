import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import type { ServiceTopology } from '@switchboard/contracts/topology';

/** A consumer whose filter lets an event pass, and the service that owns it. */
export interface EventConsumer {
  readonly service: string;
  readonly consumer: ConsumerTopology;
}

/** The consumers of a subject, in the order of the topology. */
export function consumersOf(
  subject: string,
  topology: Readonly<Record<string, ServiceTopology>>,
): readonly EventConsumer[] {
  return Object.entries(topology).flatMap(([service, { consumes }]) =>
    consumes.filter(({ filter }) => fits(filter, subject)).map((consumer) => ({ service, consumer })),
  );
}

/** True when a filter of NATS takes the subject. Source: NATS documentation, "Subject-Based Messaging", "Wildcards". */
function fits(filter: string, subject: string): boolean {
  const tokens = subject.split('.');
  const wanted = filter.split('.');
  const rest = wanted.indexOf('>');
  if (rest < 0 ? wanted.length !== tokens.length : tokens.length <= rest) return false;
  return wanted.every((token, index) => token === '>' || token === '*' || token === tokens[index]);
}
