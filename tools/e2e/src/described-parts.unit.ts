import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchboard/check/description/closed-schemas';
import { appDescription, publicDescription } from '@switchboard/check/description/described-answers';

describe.each([
  ['/v1', publicDescription],
  ['/app/api', appDescription],
])('the description of %s', (_name, document) => {
  const parts = [...partsOf(document, '#')];
  const schemas = Object.entries(Object(Object(document['components'])['schemas']) as Record<string, JsonObject>);

  it('says what every property is', () => {
    const properties = parts.flatMap(([at, part]) =>
      part['type'] === 'object' || 'allOf' in part || 'properties' in part
        ? Object.entries(Object(part['properties']) as JsonObject).map(([name, one]) => [`${at}.${name}`, one] as const)
        : [],
    );
    expect(properties.length).toBeGreaterThan(100);
    expect(properties.filter(([, property]) => !isSentence(Object(property)['description']))).toEqual([]);
  });

  it('says what every parameter is, those in paths among them', () => {
    const parameters = parts.filter(([, { in: place, name }]) => typeof place === 'string' && typeof name === 'string');
    expect(parameters.filter(([, one]) => one['in'] === 'path').length).toBeGreaterThan(5);
    expect(parameters.filter(([, one]) => !isSentence(one['description']))).toEqual([]);
    const inPaths = Object.entries(Object(document['paths']) as Record<string, Record<string, JsonObject>>);
    for (const [path, methods] of inPaths) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const operation of Object.values(methods)) {
        const own = [operation['parameters'] ?? []].flat().map((one) => Object(one) as JsonObject);
        expect([path, own.filter((one) => one['in'] === 'path').map(({ name }) => name)]).toEqual([path, named]);
      }
    }
  });

  it('says what every word of an enumeration means', () => {
    const enumerations = parts.filter(([, part]) => wordsOf(part).length > 1);
    expect(enumerations.length).toBeGreaterThan(10);
    const unexplained = enumerations.flatMap(([at, part]) => {
      const meanings = Object(part['x-enumDescriptions']) as JsonObject;
      const text = String(part['description']);
      return wordsOf(part)
        .filter((word) => !isSentence(meanings[word]) || !text.includes(`\`${word}\`: `))
        .map((word) => `${at} ${word}`);
    });
    expect(unexplained).toEqual([]);
  });

  it('names every code that a refusal may have', () => {
    const codes = parts.flatMap(([, part]) => [part['x-error-codes'] ?? []].flat()) as string[];
    const error = Object(schemas.find(([name]) => name === 'Error')?.[1]) as JsonObject;
    const { code } = Object(Object(Object(error['properties'])['error'])['properties']) as {
      readonly code?: JsonObject;
    };
    expect(wordsOf(code ?? {})).toEqual([...new Set(codes)].sort());
  });

  it('takes bodies that are flat objects: alternatives next to properties break generated clients', () => {
    const bodies = schemas.filter(([name]) => name.endsWith('Body') || name === 'BulkSendFields');
    expect(bodies.length).toBeGreaterThan(4);
    for (const [name, body] of bodies) {
      expect([name, body['type'], ['anyOf', 'oneOf', 'allOf', 'not'].filter((word) => word in body)]).toEqual([
        name,
        'object',
        [],
      ]);
    }
  });

  it('says in words what relates fields of a body', () => {
    const related = schemas.filter(([name]) => /^(ChangeConversation|CreateOptOut|SendTemplate)Body$/.test(name));
    expect(related.length).toBeGreaterThan(0);
    for (const [name, body] of related)
      expect([name, body['description']]).toEqual([
        name,
        expect.stringMatching(/^(Exactly one|`snoozedUntil` is allowed only)/),
      ]);
  });

  it('says whom to ask; where, only as it is served', () => {
    expect(Object(document['info'])['contact']).toEqual({ name: expect.any(String) });
  });
});

/** Every object of the document but those of examples, with where it is. */
function* partsOf(part: unknown, at: string): Generator<readonly [string, JsonObject]> {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part)) yield [at, part as JsonObject];
  for (const [name, value] of Object.entries(part)) {
    if (!['example', 'examples'].includes(name)) yield* partsOf(value, `${at}/${name}`);
  }
}

function wordsOf({ enum: values }: JsonObject): readonly string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}

function isSentence(text: unknown): boolean {
  return typeof text === 'string' && text.length > 3;
}
