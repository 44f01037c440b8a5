import type { ConsumerTopology } from '@switchboard/contracts/consumers';

/**
 * The two durable consumers that a consumer of the topology has at the broker. A service uses one of them, by its epoch. The
 * other one has delivered nothing: it begins at the start of the stream when the service's database was restored, and the
 * service needs no right to make or change a consumer for that.
 */
export function durableNames({ name }: Pick<ConsumerTopology, 'name'>): readonly [string, string] {
  return [name, `${name}-anew`];
}

/** The one in use. @param consumerEpoch grows by one with every restore */
export function durableName(consumer: Pick<ConsumerTopology, 'name'>, consumerEpoch: number): string {
  return durableNames(consumer)[consumerEpoch % 2 === 0 ? 0 : 1];
}

/** The one that waits for the next restore. */
export function spareName(consumer: Pick<ConsumerTopology, 'name'>, consumerEpoch: number): string {
  return durableName(consumer, consumerEpoch + 1);
}
