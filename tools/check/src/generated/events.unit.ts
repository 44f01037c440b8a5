import asyncApiSpecs from '@asyncapi/specs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { topology } from '@switchboard/contracts/topology';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { catalogueOf, type Catalogue } from '../catalogue/catalogue.js';
import { readSources, type Sources } from '../sources.js';
import { asyncApi } from './asyncapi.js';
import { eventsPage } from './events-page.js';
import { consumersOf } from './event-consumers.js';

describe('the events described', () => {
  let sources: Sources;
  let catalogue: Catalogue;
  let document: Readonly<Record<string, unknown>>;
  let refusals: (value: unknown) => unknown;

  beforeAll(async () => {
    sources = await readSources(resolve(import.meta.dirname, '..', '..', '..', '..'));
    catalogue = catalogueOf(sources);
    document = asyncApi(catalogue, topology, sources);
    // The document's schema brings the one of schemas with it.
    const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
    formats.default(ajv);
    const validate = ajv.compile(asyncApiSpecs.schemas['3.0.0']);
    refusals = (value) => (validate(value) ? null : validate.errors);
  });

  it('are an AsyncAPI 3.0 document by its official schema, which refuses others', () => {
    expect(refusals(document)).toBeNull();
    expect(refusals({ ...document, servers: { nats: { host: 'localhost' } } })).not.toBeNull();
    expect(
      refusals({ ...document, operations: { a: { action: 'shout', channel: { $ref: '#/channels/a' } } } }),
    ).not.toBeNull();
  });

  it('refer to nothing that is not there', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
    expect(references.length).toBeGreaterThan(catalogue.events.length * 3);
    const at = (path: string): unknown =>
      path.split('/').reduce<unknown>((part, key) => Object(part)[key] as unknown, document);
    expect(references.filter((path) => at(path) === undefined)).toEqual([]);
  });

  it('are sent once and received by every consumer whose filter lets them pass', () => {
    const operations = Object.keys(document['operations'] as object);
    for (const { subject, owner } of catalogue.events) {
      const own = operations.filter((name) => name.endsWith(`.${subject}`));
      const consumers = consumersOf(subject, topology).map(({ consumer }) => `${consumer.name}.receive.${subject}`);
      expect(own.sort()).toEqual([`${owner}.send.${subject}`, ...consumers].sort());
    }
    expect(operations.filter((name) => name.includes('.receive.')).length).toBeGreaterThan(3);
  });

  it('have a section each, with an example, and every link leads to a heading', () => {
    const page = eventsPage(catalogue, topology, sources);
    for (const { subject } of catalogue.events) expect(page).toContain(`\n### ${subject}\n`);
    expect([...page.matchAll(/```json\n\{/g)]).toHaveLength(catalogue.events.length);
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
      text.toLowerCase().replaceAll(/[^a-z0-9 -]/g, ''),
    );
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((anchor) => !headings.includes(anchor))).toEqual([]);
  });

  it.each([
    ['a.>', ['a.b', 'a.b.c'], ['a', 'b.a']],
    ['a.*', ['a.b'], ['a', 'a.b.c', 'b.a']],
    ['a.b', ['a.b'], ['a', 'a.b.c', 'a.c']],
    ['*.b.>', ['a.b.c'], ['a.b', 'a.c.b']],
  ])('a filter %s takes what NATS would take', (filter, taken, left) => {
    const consumer = { name: 'x', stream: 'X', filter, ackPendingMax: 1 };
    const heard = (subject: string): number =>
      consumersOf(subject, { x: { serves: [], calls: [], stream: null, consumes: [consumer] } }).length;
    expect(taken.map(heard)).toEqual(taken.map(() => 1));
    expect(left.map(heard)).toEqual(left.map(() => 0));
  });
});
