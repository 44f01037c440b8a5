import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { Check } from '../check.js';
import { textOf } from '../sources.js';

/** The descriptions that are served; the check of generated files keeps them equal to the code. */
const documents = ['docs/openapi.json', 'docs/app-openapi.json'];

/** Redocly's recommended rules, warnings counted as errors; and what integrators and generators of clients need in addition. */
const rules = {
  'operation-description': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'parameter-description': 'error',
  'request-mime-type': { severity: 'error', allowedValues: ['application/json'] },
  'response-mime-type': { severity: 'error', allowedValues: ['application/json', 'text/event-stream'] },
  'tag-description': 'error',
  // It knows scopes of OAuth alone; OpenAPI 3.1 lets any scheme name what else is needed.
  'security-scopes-defined': 'off',
} as const;

/** Each document of an API is well-formed OpenAPI and good to read, examples valid against their schemas included. */
export const apiDescriptionCheck: Check = {
  name: 'api descriptions',
  async run(sources) {
    const problems = documents.map(async (path) => {
      const text = textOf(sources, path);
      if (text === undefined) return [`${path} is missing: npm run check -- --write`];
      return (await lintDescription(text)).map(({ at, message, rule }) => `${path} ${at} ${message} (${rule})`);
    });
    return (await Promise.all(problems)).flat();
  },
};

/** The linter still bites: each canary breaks one rule, and the document that they are made from breaks none. */
export const apiDescriptionCanaryCheck: Check = {
  name: 'api description canaries',
  async run() {
    const sound = await lintDescription(canary());
    const missed = Object.entries(canaries).map(async ([rule, damage]) => {
      const found = await lintDescription(canary(damage));
      return found.some((finding) => finding.rule === rule) ? [] : [`the linter lets the canary of ${rule} pass`];
    });
    return [
      ...sound.map(({ rule }) => `the linter refuses a sound document by ${rule}`),
      ...(await Promise.all(missed)).flat(),
    ];
  },
};

interface Finding {
  readonly rule: string;
  /** A JSON pointer. */
  readonly at: string;
  readonly message: string;
}

async function lintDescription(source: string): Promise<readonly Finding[]> {
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({ source, config });
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    at: location[0]?.pointer ?? '#',
    message: message.replaceAll(/\s+/g, ' '),
  }));
}

/** What is changed in the sound document, by the rule that must find it. */
const canaries: Readonly<Record<string, readonly [from: string, to: string]>> = {
  struct: ['"paths":', '"path":'],
  'no-unresolved-refs': ['schemas/A"', 'schemas/B"'],
  'operation-operationId': ['"operationId":"readA",', ''],
  'operation-description': ['"description":"Reads it.",', ''],
  'operation-tag-defined': ['"tags":["System"]', '"tags":["Other"]'],
  'parameter-description': ['"description":"Which.",', ''],
  'no-invalid-media-type-examples': ['"example":{"id":"1"}', '"example":{"id":1}'],
  'no-invalid-parameter-examples': ['"example":"1"', '"example":1'],
  'path-parameters-defined': ['"/a/{id}"', '"/a/{other}"'],
  'security-defined': ['"security":[{"key":[]}]', '"security":[{"other":[]}]'],
};

function canary([from, to]: readonly [string, string] = ['', '']): string {
  const schema = { $ref: '#/components/schemas/A' };
  const operation = {
    operationId: 'readA',
    tags: ['System'],
    summary: 'Read',
    description: 'Reads it.',
    security: [{ key: [] }],
    parameters: [
      { name: 'id', in: 'path', required: true, description: 'Which.', schema: { type: 'string' }, example: '1' },
    ],
    responses: {
      200: { description: 'It.', content: { 'application/json': { schema, example: { id: '1' } } } },
      404: { description: 'There is none.' },
    },
  };
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'A', version: '1', license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' } },
    servers: [{ url: '/' }],
    tags: [{ name: 'System', description: 'All of it.' }],
    paths: { '/a/{id}': { get: operation } },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { A: { type: 'object', properties: { id: { type: 'string' } } } },
    },
  });
  return text.replace(from, to);
}
