import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sourcesOf, type Sources } from '../sources.js';
import { catalogueOf } from './catalogue.js';
import { breakingChanges, wireShape } from './compare-schemas.js';
import type { JsonSchema } from './json-schema.js';
import { anySchema, changedSchema, grownSchema, valueOf } from '../../test/schema-arbitraries.js';
import { schemaRefusals } from './schema-refusals.js';
import { snapshotProblems, snapshotsToWrite } from './snapshots.js';

const grammar = {
  'libs/contracts/src/grammar/define-event.ts': `
    declare const types: unique symbol;
    export interface EventDefinition<Data = unknown> { readonly subject: string; readonly [types]?: Data; }
    export declare function defineEvent<Data>(owner: string, name: string, version: number): EventDefinition<Data>;
    export interface EventEnvelope<Data> {
      /** Its own. */ readonly id: string; readonly subject: string; readonly sequence: number | null; readonly data: Data;
    }`,
  'libs/contracts/src/grammar/define-rpc.ts': `
    declare const types: unique symbol;
    export interface RpcDefinition<Request = unknown, Response = unknown> {
      readonly subject: string; readonly [types]?: { request: Request; response: Response };
    }
    export declare function defineRpc<Request, Response>(owner: string, method: string): RpcDefinition<Request, Response>;`,
  'libs/contracts/src/grammar/moment.ts': `
    /** A moment. @format date-time */
    export type Moment = string;
    /** Cents. @integer */
    export type Cents = number;`,
};

const eventFile = 'libs/contracts/src/till/events.ts';
const imports = `import { defineEvent } from '../grammar/define-event.js';
  import type { Cents, Moment } from '../grammar/moment.js';\n`;

/** Contracts with one event `till.bill.paid.v1` whose data has these fields. */
const contractsOf = (fields: string): Sources =>
  sourcesOf({
    ...grammar,
    [eventFile]: `${imports} /** Paid. @aggregate bill, counted */
      export const billPaid = defineEvent<{ ${fields} }>('till', 'bill.paid', 1);`,
  });

/** The same sources with what `--write` would write. */
const written = (sources: Sources): Sources => {
  const texts = [...sources.files].map(([path, content]) => [path, content.toString()] as const);
  const files = snapshotsToWrite(sources).map(({ path, content }) => [path, JSON.stringify(content)] as const);
  return sourcesOf(Object.fromEntries([...texts, ...files]));
};

/** The event frozen with one shape of its data, and then declared with another. */
const changedTo = (before: string, after: string): Sources => {
  const frozen = [...written(contractsOf(before)).files].filter(([path]) => path !== eventFile);
  const texts = frozen.map(([path, content]) => [path, content.toString()] as const);
  return sourcesOf({ ...Object.fromEntries(texts), [eventFile]: textOfEvent(after) });
};
const textOfEvent = (fields: string): string => contractsOf(fields).files.get(eventFile)?.toString() ?? '';

const dataOf = (fields: string): JsonSchema | undefined =>
  catalogueOf(contractsOf(fields)).events[0]?.schema.properties?.['data'];

describe('the catalogue', () => {
  it('finds every exported event and rpc by its type, with its docstring, aggregate and payload', () => {
    const sources = sourcesOf({
      ...grammar,
      [eventFile]: `${imports}
        export interface Bill {
          /** In cents. */
          readonly total: number; readonly at: Moment | null; }
        /** A bill was paid; @aggregate bill, counted */
        export const billPaid = defineEvent<{ readonly bill: Bill }>('till', 'bill.paid', 2);
        const hidden = defineEvent<Bill>('till', 'bill.hidden', 1);
        export const other = { subject: hidden.subject };`,
      'libs/contracts/src/till/rpc.ts': `import { defineRpc } from '../grammar/define-rpc.js';
        import type { Bill } from './events.js';
        /** Pays. */
        export const payRpc = defineRpc<{ readonly id: string }, readonly Bill[]>('till', 'pay');`,
    });
    const { events, rpcs, problems } = catalogueOf(sources);
    expect(problems).toEqual([]);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      name: 'billPaid',
      subject: 'till.bill.paid.v2',
      owner: 'till',
      version: 2,
      aggregate: 'bill',
      isCounted: true,
      description: 'A bill was paid;',
      schema: {
        properties: {
          id: { type: 'string', description: 'Its own.' },
          subject: { enum: ['till.bill.paid.v2'] },
          sequence: { type: 'integer' },
        },
        required: ['id', 'subject', 'sequence', 'data'],
        definitions: {
          Bill: {
            properties: {
              total: { type: 'number', description: 'In cents.' },
              at: { type: ['string', 'null'], format: 'date-time' },
            },
          },
        },
      },
    });
    expect(rpcs.map(({ subject }) => subject)).toEqual(['rpc.till.pay']);
    expect(rpcs[0]?.schema.properties?.['response']).toEqual({ type: 'array', items: { $ref: '#/definitions/Bill' } });
  });

  it.each<[string, string, JsonSchema]>([
    [
      'whole numbers',
      'a: Cents | null; b: readonly Cents[]',
      {
        type: 'object',
        properties: { a: { type: ['integer', 'null'] }, b: { type: 'array', items: { type: 'integer' } } },
        required: ['a', 'b'],
      },
    ],
    ['an optional field', 'a?: string', { type: 'object', properties: { a: { type: 'string' } } }],
    ['a literal union', "a: 'y' | 'x'", { properties: { a: { type: 'string', enum: ['x', 'y'] } } }],
    ['a nullable one', "a: 'y' | null", { properties: { a: { type: ['string', 'null'], enum: ['y', null] } } }],
    [
      'truth values',
      'a: boolean | null; b?: boolean',
      { properties: { a: { type: ['boolean', 'null'] }, b: { type: 'boolean' } } },
    ],
    [
      'lists of a form',
      'a: readonly Moment[]',
      { properties: { a: { type: 'array', items: { type: 'string', format: 'date-time' } } } },
    ],
    [
      'alternatives',
      'a: string | readonly number[]',
      { properties: { a: { anyOf: [{ type: 'array', items: { type: 'number' } }, { type: 'string' }] } } },
    ],
    ['anything', 'a: unknown', { properties: { a: {} } }],
    [
      'a map',
      'a: Record<string, number>',
      { properties: { a: { type: 'object', additionalProperties: { type: 'number' } } } },
    ],
    ['nothing', 'a: Record<string, never>', { properties: { a: { type: 'object' } } }],
  ])('says in JSON Schema: %s', (_what, fields, schema) => {
    expect(dataOf(fields)).toMatchObject(schema);
  });

  it.each([
    ['a function', 'a: () => void'],
    ['undefined', 'a: string | undefined'],
    ['a big integer', 'a: bigint'],
    ['any', 'a: any'],
    ['a tuple', 'a: [string, number]'],
  ])('refuses what JSON cannot carry, or a schema not say: %s', (_what, fields) => {
    expect(catalogueOf(contractsOf(fields)).problems).toEqual([expect.stringContaining('billPaid: data.a ')]);
  });

  it.each([
    ['no docstring', "/** @aggregate bill */ export const a = defineEvent<{}>('till', 'a.b', 1);", 'docstring'],
    ['no aggregate', "/** A. */ export const a = defineEvent<{}>('till', 'a.b', 1);", '@aggregate'],
    [
      'a foreign folder',
      "/** A. @aggregate a */ export const a = defineEvent<{}>('shop', 'a.b', 1);",
      'folder of shop',
    ],
    [
      'no constant',
      "/** A. @aggregate a */ export const a = defineEvent<{}>('till', 'a.b' as string, 1);",
      'constants',
    ],
    [
      'a subject twice',
      "/** A. @aggregate a */ export const a = defineEvent<{}>('till', 'a', 1);\n/** B. @aggregate a */ export const b = defineEvent<{}>('till', 'a', 1);",
      'till.a.v1 is declared twice',
    ],
  ])('reports a declaration with %s', (_what, text, problem) => {
    const { problems } = catalogueOf(sourcesOf({ ...grammar, [eventFile]: imports + text }));
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('a frozen contract', () => {
  it.each([
    ['a new optional field', 'a: string', 'a: string; b?: number'],
    ['one further down', 'a: { b: string }', 'a: { b: string; c?: string | null }'],
    ['one in the items of a list', 'a: readonly { b: string }[]', 'a: readonly { b: string; c?: 1 }[]'],
    ['one in an alternative', 'a: { b: string } | null', 'a: { b: string; c?: 1 } | null'],
    ['another order', 'a: string; b: 1 | 2', 'b: 2 | 1; a: string'],
    ['another docstring', 'a: string', '/** A. */ a: string'],
  ])('may have %s', (_what, before, after) => {
    const problems = snapshotProblems(changedTo(before, after));
    expect(problems.filter((problem) => !problem.includes('is behind'))).toEqual([]);
  });

  it.each([
    ['without a field', 'a: string; b: string', 'a: string', '`data.b` is gone'],
    ['without an optional field', 'a: string; b?: string', 'a: string', '`data.b` is gone'],
    ['with another name', 'a: string', 'b: string', '`data.a` is gone'],
    ['with a new required field', 'a: string', 'a: string; b: string', '`data.b` is new and required'],
    ['with a field required', 'a?: string', 'a: string', '`data.a` is required now'],
    ['with a field optional', 'a: string', 'a?: string', '`data.a` is no longer required'],
    ['with a narrower enumeration', "a: 'x' | 'y'", "a: 'x'", '`data.a` may no longer be `y`'],
    ['with a wider enumeration', "a: 'x'", "a: 'x' | 'y'", '`data.a` may be `y` now'],
    ['with an enumeration instead of text', 'a: string', "a: 'x'", '`data.a` changed from string to one of x'],
    ['with text instead of an enumeration', "a: 'x'", 'a: string', '`data.a` changed from one of x to string'],
    ['with another type', 'a: string', 'a: number', '`data.a` changed from string to number'],
    ['with a form', 'a: string', 'a: Moment', '`data.a` changed from string to string (date-time)'],
    ['with a null', 'a: string', 'a: string | null', '`data.a` may be null now'],
    ['with a null in an enumeration', "a: 'x'", "a: 'x' | null", '`data.a` may be null now'],
    ['with a null for an object', 'a: { b: 1 }', 'a: { b: 1 } | null', '`data.a` may be null now'],
    ['without its null', 'a: string | null', 'a: string', '`data.a` may no longer be null'],
    ['changed in a list', 'a: readonly { b: string }[]', 'a: readonly { b: number }[]', '`data.a[].b` changed'],
    ['changed in a map', 'a: Record<string, 1>', 'a: Record<string, 2>', '`data.a[*]` may be `2` now'],
    ['with a further alternative', 'a: string | { b: 1 }', 'a: string | { b: 1 } | readonly 1[]', 'new alternative'],
    ['changed in an alternative', 'a: string | { b: 1 }', 'a: string | { b: 2 }', 'changed in one of its alternatives'],
  ])('is refused %s, and not written over', (_what, before, after, sentence) => {
    const sources = changedTo(before, after);
    const refused = snapshotProblems(sources).filter((problem) => problem.startsWith('till.bill.paid.v1: '));
    expect(refused).toContainEqual(expect.stringContaining(sentence));
    for (const problem of refused) expect(problem).toMatch(/; make v2 and emit it together with v1 for a release/);
    expect(snapshotsToWrite(sources)).toEqual([]);
    expect(snapshotProblems(written(sources))).toEqual(snapshotProblems(sources));
  });

  it('is written when it is new or grew, and then holds', () => {
    const fresh = contractsOf('a: string');
    expect(snapshotProblems(fresh)).toEqual([
      'till.bill.paid.v1 is not frozen yet: npm run check -- --write',
      'till.bill.paid.v1 has no example: npm run check -- --write',
    ]);
    expect(snapshotProblems(written(fresh))).toEqual([]);
    const grown = changedTo('a: string', 'a: string; b?: string');
    expect(snapshotProblems(grown)).toEqual(['the snapshot of till.bill.paid.v1 is behind: npm run check -- --write']);
    expect(snapshotProblems(written(grown))).toEqual([]);
  });

  it('cannot vanish, nor its example leave its schema', () => {
    const { files } = written(contractsOf('a: string'));
    const texts = Object.fromEntries([...files].map(([path, content]) => [path, content.toString()]));
    const gone = snapshotProblems(sourcesOf({ ...texts, [eventFile]: 'export {};' }));
    expect(gone).toEqual([
      expect.stringContaining('till.bill.paid.v1.schema.json is of no contract'),
      expect.stringContaining('till.bill.paid.v1.example.json is of no contract'),
    ]);
    const example = 'libs/contracts/snapshots/till.bill.paid.v1.example.json';
    expect(snapshotProblems(sourcesOf({ ...texts, [example]: '{}' }))).not.toEqual([]);
  });
});

describe('the rule of what breaks', () => {
  it('lets every schema be itself, and grow by an optional field anywhere', () => {
    fc.assert(
      fc.property(anySchema, fc.infiniteStream(fc.nat()), (schema, choices) => {
        expect(breakingChanges(schema, schema)).toEqual([]);
        expect(breakingChanges(wireShape(schema), grownSchema(schema, choices))).toEqual([]);
      }),
    );
  });

  it('refuses every other change, wherever it is', () => {
    fc.assert(
      fc.property(anySchema, fc.infiniteStream(fc.nat()), (schema, choices) => {
        expect(breakingChanges(schema, changedSchema(schema, choices))).not.toEqual([]);
      }),
    );
  });

  it('is right: what passes is understood by former consumers, and today by consumers of the past', () => {
    fc.assert(
      fc.property(anySchema, fc.infiniteStream(fc.nat()), fc.gen(), (schema, choices, gen) => {
        const grown = grownSchema(schema, choices);
        expect(
          schemaRefusals(
            schema,
            gen(() => valueOf(grown)),
          ),
        ).toEqual([]);
        expect(
          schemaRefusals(
            grown,
            gen(() => valueOf(schema)),
          ),
        ).toEqual([]);
      }),
    );
  });
});
