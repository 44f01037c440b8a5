import { consumersOf } from '@switchboard/check/generated/event-consumers';
import { textOf, type Sources } from '@switchboard/check/sources';
import { isConcerned, valueAt, type ConsumerTopology } from '@switchboard/contracts/consumers';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { ServiceTopology } from '@switchboard/contracts/topology';
import type { OwnStack } from './start-everything.js';

/** An event as it was once emitted, and one of its consumers today. */
export interface Example {
  readonly envelope: EventEnvelope;
  readonly service: string;
  readonly consumer: string;
}

/** The kept example of every version of every event with each consumer whose filter takes it, as rows of a test. */
export function examplesFor(
  sources: Sources,
  topology: Readonly<Record<string, ServiceTopology>>,
): [string, string, Example][] {
  const paths = [...sources.files.keys()].filter((path) =>
    /^libs\/contracts\/snapshots\/.*\.example\.json$/.test(path),
  );
  return paths.flatMap((path) => {
    const envelope = JSON.parse(textOf(sources, path) ?? '') as EventEnvelope;
    const { subject } = envelope;
    return consumersOf(subject, topology).map(({ service, consumer }): [string, string, Example] => [
      subject,
      consumer.name,
      { envelope: concerning(envelope, consumer), service, consumer: consumer.name },
    ]);
  });
}

/** The event with what it needs to change something at the consumer: an id at the first path that it has room for. */
function concerning(envelope: EventEnvelope, consumer: ConsumerTopology): EventEnvelope {
  if (isConcerned(consumer, envelope)) return envelope;
  const changed = structuredClone(envelope);
  for (const path of consumer.concerns ?? []) {
    const parent = valueAt(changed.data, path.slice(0, -1));
    if (typeof parent === 'object' && parent !== null) Object.assign(parent, { [path.at(-1) ?? '']: newCuid() });
    if (isConcerned(consumer, changed)) return changed;
  }
  throw new Error(`${envelope.subject} has no room for what concerns ${consumer.name}`);
}

/**
 * The example brought into the running system: emitted by the first organization just now, about its own channel, line and
 * contact, so that its consumers find what it speaks of.
 */
export async function broughtIn(example: Example, all: OwnStack): Promise<Example> {
  const [organization] = all.stack.devJson.organizations ?? [];
  const [channel] = organization?.channels ?? [];
  const sent = (await all.acme.send('+14155550199', 'an example')).body;
  const message = (await all.acme.get(`/v1/messages/${sent?.id}`)).body;
  const [request] = await all.simulator.requests(`reference=${sent?.id}`);
  const ours: Readonly<Record<string, unknown>> = {
    organizationId: organization?.id,
    messagingChannelId: channel?.id,
    channelId: channel?.id,
    contactId: message?.['contactId'],
    conversationId: message?.['conversationId'],
    phoneNumberId: request?.phoneNumberId,
    biz_opaque_callback_data: message?.id,
  };
  let text = JSON.stringify({ ...example.envelope, id: newCuid(), occurredAt: new Date().toISOString() });
  for (const [name, value] of fieldsOf(example.envelope, 'event')) {
    const own = ours[name];
    if (typeof own === 'string' && typeof value === 'string') text = text.replaceAll(value, own);
  }
  return { ...example, envelope: JSON.parse(text) as EventEnvelope };
}

/** Every field with its name; an `id` goes by what it is in, as `contactId`. */
function* fieldsOf(value: object, owner: string): Generator<[string, unknown]> {
  for (const [name, part] of Object.entries(value) as [string, unknown][]) {
    if (typeof part === 'object' && part !== null) yield* fieldsOf(part, name);
    else yield [name === 'id' ? `${owner}Id` : name, part];
  }
}
