import { describe, expect, it } from '@jest/globals';
import { defineError } from '@switchboard/contracts/grammar/app-error';
import type { ApiDefinition, ApiRoute, HeaderReferences } from './index.js';
import { buildOpenApiDocument } from './index.js';

const tooHot = defineError({ code: 'TOO_HOT', status: 400, message: 'The tea is too hot', retry: 'later' });
const notFound = defineError({ code: 'TEA_NOT_FOUND', status: 404, message: 'There is no such tea', retry: 'never' });
const headersOf = (status: number): HeaderReferences => (status === 404 ? {} : { 'X-Pot': 'Pot' });

const api: ApiDefinition = {
  info: { title: 'Tea', version: '1.0.0' },
  introduction: 'Makes tea.',
  tags: [{ name: 'Tea', description: 'All of it.' }],
  securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
  parameters: { 'If-Match': { name: 'If-Match', in: 'header' }, Unused: { name: 'Unused', in: 'header' } },
  headers: { Pot: { description: 'Which pot.', schema: { type: 'string' } } },
  shapes: {
    schemas: {
      Tea: { type: 'object', properties: { cup: { $ref: '#/components/schemas/Cup' } } },
      Cup: {},
      Coffee: {},
    },
    examples: { Tea: { id: 't1', cup: {} } },
    pageCursorOf: (example) => (example as { id?: string }).id,
  },
  vocabularies: [{ green: 'Not fermented.', black: 'Fermented.' }],
  wordings: { TEA_NOT_FOUND: { meaning: 'The tea was drunk', again: 'Make a new one.' } },
  pathParameter: (segment, name) => ({ name, schema: { description: `Of ${segment}.`, type: 'string' } }),
  unrouted: { errors: [notFound], sentences: {}, headersOf },
};

const brew: ApiRoute = {
  method: 'POST',
  path: '/teas/:id/cups',
  operationId: 'brewTea',
  tag: 'Tea',
  summary: 'Brew tea',
  description: 'Brews it.',
  security: [{ key: ['brew'] }],
  requestHeaders: ['If-Match'],
  body: {
    name: 'BrewBody',
    fields: [
      { name: 'minutes', isRequired: true, isShared: false, schema: { type: 'integer' } },
      { name: 'sugar', isRequired: false, isShared: false, schema: { type: 'boolean' } },
    ],
    examples: { plain: { minutes: 3 } },
    rule: 'One at least.',
  },
  answers: { 201: { description: 'It is ready.', body: 'Tea', headers: { 'X-Pot': 'Pot' } } },
  refusals: { errors: [notFound, tooHot, notFound], sentences: { TOO_HOT: 'Wait for the tea' }, headersOf },
  sharesRefusals: true,
};

const list: ApiRoute = {
  method: 'GET',
  path: '/teas',
  operationId: 'listTeas',
  tag: 'Tea',
  summary: 'List teas',
  description: 'Lists them.',
  security: [],
  requestHeaders: [],
  query: {
    name: 'ListQuery',
    fields: [
      { name: 'limit', isRequired: false, isShared: true, schema: { description: 'How many.', type: 'integer' } },
      { name: 'kind', isRequired: true, isShared: false, schema: { description: 'Which.', type: 'string' } },
    ],
  },
  answers: { 200: { description: 'A page.', body: { pageOf: 'Tea' }, headers: {} } },
  refusals: { errors: [notFound], sentences: {}, headersOf },
  sharesRefusals: true,
};

const sharedRefusal = { $ref: '#/components/responses/TeaNotFound' };

describe('an OpenAPI document', () => {
  const document = buildOpenApiDocument(api, [brew, list], 'https://tea.example');

  it('says once what belongs to no route, with a table of all error codes', () => {
    const { openapi, info, servers, tags } = document;
    expect({ openapi, servers, tags }).toEqual({
      openapi: '3.1.0',
      servers: [{ url: 'https://tea.example', description: 'The canonical base.' }],
      tags: api.tags,
    });
    expect(Object(info)['description']).toBe(
      [
        'Makes tea.\n\n## Error codes\n',
        '| Status | Code | Meaning | Again? |\n| --- | --- | --- | --- |',
        '| 400 | `TOO_HOT` | The tea is too hot. | Send it again later, with growing pauses. |',
        '| 404 | `TEA_NOT_FOUND` | The tea was drunk. | Make a new one. |',
      ].join('\n'),
    );
    expect(buildOpenApiDocument(api, [], '')['servers']).toEqual([expect.objectContaining({ url: '/' })]);
  });

  it('gives the contact an address of the canonical base, and none where it is not known', () => {
    const asked = { ...api, info: { ...api.info, contact: { name: 'Tea support', path: '/help' } } };
    const contactAt = (baseUrl: string): unknown => Object(buildOpenApiDocument(asked, [], baseUrl)['info'])['contact'];
    expect(contactAt('https://tea.example')).toEqual({ name: 'Tea support', url: 'https://tea.example/help' });
    expect(contactAt('')).toEqual({ name: 'Tea support' });
  });

  it('describes what a route takes: path, query, headers and body', () => {
    const { '/teas/{id}/cups': cups, '/teas': teas } = Object(document['paths']);
    expect(cups.post).toMatchObject({
      operationId: 'brewTea',
      security: [{ key: ['brew'] }],
      parameters: [
        { name: 'id', in: 'path', required: true, description: 'Of teas.', schema: { type: 'string' } },
        { $ref: '#/components/parameters/If-Match' },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/BrewBody' },
            examples: { plain: { value: { minutes: 3 } } },
          },
        },
      },
    });
    expect(teas.get.parameters).toEqual([
      { $ref: '#/components/parameters/limit' },
      { name: 'kind', in: 'query', required: true, description: 'Which.', schema: { type: 'string' } },
    ]);
    expect(teas.get).not.toHaveProperty('requestBody');
  });

  it('describes what a route answers, and each refusal: shared, or in the words of the route', () => {
    const { '/teas/{id}/cups': cups, '/teas': teas } = Object(document['paths']);
    expect(cups.post.responses).toEqual({
      201: {
        description: 'It is ready.',
        headers: { 'X-Pot': { $ref: '#/components/headers/Pot' } },
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/Tea' }, example: { id: 't1', cup: {} } },
        },
      },
      400: {
        description: '- `TOO_HOT`: The tea is too hot. Send it again later, with growing pauses.',
        headers: { 'X-Pot': { $ref: '#/components/headers/Pot' } },
        'x-error-codes': ['TOO_HOT'],
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: {
              TOO_HOT: { summary: '400 TOO_HOT', value: { error: { code: 'TOO_HOT', message: 'Wait for the tea' } } },
            },
          },
        },
      },
      404: sharedRefusal,
    });
    expect(teas.get.responses).toMatchObject({
      200: {
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/TeaPage' },
            example: { items: [{ id: 't1' }], nextCursor: 't1' },
          },
        },
      },
      404: sharedRefusal,
    });
  });

  it('has the components that it refers to, directly or through others, and no more', () => {
    const components = Object(document['components']) as Record<string, Record<string, object>>;
    expect(Object.fromEntries(Object.entries(components).map(([kind, all]) => [kind, Object.keys(all)]))).toEqual({
      securitySchemes: ['key'],
      responses: ['TeaNotFound'],
      parameters: ['If-Match', 'limit'],
      headers: ['Pot'],
      examples: ['TEA_NOT_FOUND'],
      schemas: ['BrewBody', 'Cup', 'Error', 'Tea', 'TeaPage'],
    });
    expect(components['schemas']?.['BrewBody']).toEqual({
      type: 'object',
      properties: { minutes: { type: 'integer' }, sugar: { type: 'boolean' } },
      required: ['minutes'],
      description: 'One at least.',
    });
  });

  it('refers to nothing where there is no operation', () => {
    const unrouted = JSON.stringify(document['x-unrouted']);
    expect(unrouted).toContain('"404":{"description":"- `TEA_NOT_FOUND`: The tea was drunk. Make a new one."');
    expect(unrouted).not.toMatch(/#\/components\/(headers|examples)/);
  });

  it('is not built for two operations of one name, nor for a name that nothing has', () => {
    expect(() => buildOpenApiDocument(api, [brew, { ...list, operationId: 'brewTea' }], '')).toThrow(
      'two operations have the name brewTea',
    );
    const unknown = { ...list, answers: { 200: { description: 'A pot.', body: 'Pot', headers: {} } } };
    expect(() => buildOpenApiDocument(api, [unknown], '')).toThrow('nothing is described as schemas/Pot');
  });
});
