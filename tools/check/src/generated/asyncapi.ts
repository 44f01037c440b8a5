import { isDeepStrictEqual } from 'node:util';
import type { ServiceTopology } from '@switchboard/contracts/topology';
import type { Catalogue, EventContract } from '../catalogue/catalogue.js';
import { DEFINITIONS, type JsonSchema } from '../catalogue/json-schema.js';
import { examplePath } from '../catalogue/snapshots.js';
import { textOf, type Sources } from '../sources.js';
import { consumersOf } from './event-consumers.js';

type Json = Readonly<Record<string, unknown>>;
type Topology = Readonly<Record<string, ServiceTopology>>;

const SCHEMAS = '#/components/schemas/';

/** Who publishes and reads what else travels with a payload. Source: libs/nats, `EventPublisher`. */
const headers = {
  type: 'object',
  required: ['Nats-Msg-Id'],
  properties: {
    'Nats-Msg-Id': {
      type: 'string',
      description:
        "The envelope's `id`: the broker drops what it has already. What was purged meanwhile has a suffix behind it.",
    },
    traceparent: { type: 'string', description: 'W3C trace context of the transaction that emitted the event.' },
  },
};

/**
 * The catalogue as an AsyncAPI 3.0 document: a channel for each subject, a send operation of its owner, a receive operation
 * for each consumer whose filter lets it pass.
 *
 * @throws Error when one name stands for two types
 */
export function asyncApi({ events }: Catalogue, topology: Topology, sources: Sources): Json {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Switchboard events',
      version: '1.0.0',
      description:
        'The events between the services of Switchboard, read from `libs/contracts`. Delivered at least once, in the order of ' +
        'commits within an aggregate; `id` is the same in every delivery. The version is the last part of the subject.',
    },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: 'localhost:4222',
        protocol: 'nats',
        description: 'JetStream; a stream for each service that emits events.',
      },
    },
    channels: keyed(events, channelOf),
    operations: Object.fromEntries(events.flatMap((event) => operationsOf(event, topology))),
    components: {
      messages: keyed(events, (event) => messageOf(event, sources)),
      messageTraits: { event: { headers } },
      schemas: schemasOf(events),
    },
  };
}

function channelOf({ subject, owner, name }: EventContract): Json {
  return {
    address: subject,
    tags: [{ name: owner }],
    messages: { [name]: { $ref: `#/components/messages/${subject}` } },
  };
}

function operationsOf({ subject, owner, name }: EventContract, topology: Topology): [string, Json][] {
  const on = {
    channel: { $ref: `#/channels/${subject}` },
    messages: [{ $ref: `#/channels/${subject}/messages/${name}` }],
  };
  const receive = consumersOf(subject, topology).map(({ service, consumer }): [string, Json] => [
    `${consumer.name}.receive.${subject}`,
    {
      action: 'receive',
      summary: `By the durable consumer ${consumer.name} on the stream ${consumer.stream}, filter ${consumer.filter}.`,
      tags: [{ name: service }],
      ...on,
    },
  ]);
  return [[`${owner}.send.${subject}`, { action: 'send', tags: [{ name: owner }], ...on }], ...receive];
}

function messageOf(
  { subject, name, description, schema, aggregate, isCounted }: EventContract,
  sources: Sources,
): Json {
  const { $schema: _dialect, title: _title, description: _description, definitions: _named, ...payload } = schema;
  const example = textOf(sources, examplePath(subject));
  const order = isCounted ? 'whose events `sequence` counts' : 'which does not count its events';
  return {
    name: subject,
    title: name,
    summary: description,
    description: `Aggregate: ${aggregate}, ${order}.`,
    traits: [{ $ref: '#/components/messageTraits/event' }],
    payload: hoisted(payload),
    ...(example === undefined ? {} : { examples: [{ payload: JSON.parse(example) as unknown }] }),
  };
}

/** All named types, once, by name. */
function schemasOf(events: readonly EventContract[]): Json {
  const schemas: Record<string, unknown> = {};
  for (const [name, schema] of events.flatMap((event) => Object.entries(event.schema.definitions ?? {}))) {
    const one = hoisted(schema);
    if (schemas[name] !== undefined && !isDeepStrictEqual(schemas[name], one)) {
      throw new Error(`two types of events have the name ${name}`);
    }
    schemas[name] = one;
  }
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The schema with its references led to the document's components. */
function hoisted(schema: JsonSchema): unknown {
  const text = JSON.stringify(schema).replaceAll(`"$ref":"${DEFINITIONS}`, `"$ref":"${SCHEMAS}`);
  return JSON.parse(text) as unknown;
}

function keyed(events: readonly EventContract[], map: (event: EventContract) => Json): Json {
  return Object.fromEntries(events.map((event) => [event.subject, map(event)]));
}
