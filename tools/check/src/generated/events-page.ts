import type { ServiceTopology } from '@switchboard/contracts/topology';
import type { Catalogue, EventContract } from '../catalogue/catalogue.js';
import { DEFINITIONS, type JsonSchema } from '../catalogue/json-schema.js';
import { examplePath } from '../catalogue/snapshots.js';
import { textOf, type Sources } from '../sources.js';
import { consumersOf } from './event-consumers.js';

type Topology = Readonly<Record<string, ServiceTopology>>;

/** `docs/events.md`, before Prettier: each event with its moment, order, consumers and an example, then the types. */
export function eventsPage({ events }: Catalogue, topology: Topology, sources: Sources): string {
  const owners = Map.groupBy(events, ({ owner }) => owner);
  const types = Object.entries(namedTypes(events)).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '# Events',
    'Generated from `libs/contracts` and held by `npm run check`; for tools the same is in [asyncapi.json](asyncapi.json). What a ' +
      'version may gain, and when it becomes the next one, is in [ADR 0009](adr/0009-contract-versions.md).',
    'Every event is an envelope with its `data`. It is emitted in the transaction that makes it true and delivered at least ' +
      'once: its `id` is the same in every delivery. Events of one aggregate come in the order of their commits; where the ' +
      'aggregate is counted, `sequence` grows by one.',
    table(
      ['Event', 'Emitted when', 'Consumed by'],
      events.map((event) => overviewOf(event, topology)),
    ),
    ...[...owners].flatMap(([owner, events]) => [
      `## ${owner}`,
      ...events.flatMap((event) => sectionOf(event, topology, sources)),
    ]),
    '## Types',
    ...types.flatMap(([name, schema]) => [`### ${name}`, schema.description ?? '', fieldTable(schema)]),
  ].join('\n\n');
}

function overviewOf({ subject, description }: EventContract, topology: Topology): readonly string[] {
  const services = new Set(consumersOf(subject, topology).map(({ service }) => service));
  return [`[\`${subject}\`](#${anchorOf(subject)})`, description, [...services].join(', ')];
}

function sectionOf(event: EventContract, topology: Topology, sources: Sources): string[] {
  const { subject, description, aggregate, isCounted, version, schema } = event;
  const consumers = consumersOf(subject, topology).map(({ service, consumer }) => `${service} (\`${consumer.name}\`)`);
  const data = schema.properties?.['data'] ?? {};
  const dataType = data.$ref === undefined ? fieldTable(data) : `\`data\` is a ${typeOf(data)}.`;
  return [
    `### ${subject}`,
    description,
    [
      `- Version ${version}, [schema](../libs/contracts/snapshots/${subject}.schema.json)`,
      `- Aggregate: ${aggregate}, ${isCounted ? 'counted' : 'not counted'}`,
      `- Consumed by: ${consumers.length > 0 ? consumers.join(', ') : 'no service yet'}`,
    ].join('\n'),
    dataType,
    `\`\`\`json\n${textOf(sources, examplePath(subject))?.trim() ?? ''}\n\`\`\``,
  ];
}

function namedTypes(events: readonly EventContract[]): Record<string, JsonSchema> {
  return Object.assign({}, ...events.map(({ schema }) => schema.definitions ?? {}));
}

function fieldTable(schema: JsonSchema): string {
  return table(['Field', 'Type', ''], rowsOf(schema, ''));
}

/** Objects without a name are shown field by field, after the field that holds them. */
function rowsOf({ properties = {}, required = [] }: JsonSchema, prefix: string): (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = prefix + name;
    const optional = required.includes(name) ? '' : ', may be absent';
    const inner = unnamedObject(schema);
    const rows = inner ? rowsOf(inner.schema, `${path}${inner.isList ? '[]' : ''}.`) : [];
    return [[`\`${path}\``, typeOf(schema) + optional, schema.description ?? ''], ...rows];
  });
}

function unnamedObject(schema: JsonSchema): { readonly schema: JsonSchema; readonly isList: boolean } | undefined {
  const { items, anyOf, properties } = schema;
  if (properties) return { schema, isList: false };
  if (items) return items.properties && { schema: items, isList: true };
  const [branch, ...others] = (anyOf ?? []).filter((one) => one.properties !== undefined);
  return branch && others.length === 0 ? { schema: branch, isList: false } : undefined;
}

function typeOf({ $ref, type, enum: values, format, pattern, items, anyOf }: JsonSchema): string {
  if ($ref !== undefined) return `[${$ref.slice(DEFINITIONS.length)}](#${anchorOf($ref.slice(DEFINITIONS.length))})`;
  if (anyOf) return anyOf.map((one) => (unnamedObject({ anyOf }) ? typeOf(one) : branchOf(one))).join(' or ');
  if (values) return values.map((value) => (value === null ? 'null' : `\`${value}\``)).join(', ');
  if (items) return `list of ${typeOf(items)}`;
  const types = [type ?? 'anything'].flat();
  const form = format ?? (pattern?.startsWith('^c') === true ? 'cuid' : undefined);
  return types.map((one) => (one === 'string' && form !== undefined ? form : one)).join(' or ');
}

/** An object among others: by its fields, with the words that tell it apart. */
function branchOf(schema: JsonSchema): string {
  if (!schema.properties) return typeOf(schema);
  const fields = Object.entries(schema.properties).map(([name, { enum: values }]) =>
    values?.length === 1 ? `${name}: ${values[0]}` : name,
  );
  return `\`{ ${fields.join(', ')} }\``;
}

/** As GitHub makes them of headings. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^a-z0-9 -]/g, '');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
