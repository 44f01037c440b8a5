import { isDeepStrictEqual } from 'node:util';
import { textOf, type Sources } from '../sources.js';
import { catalogueOf, type Contract } from './catalogue.js';
import { breakingChanges, wireShape } from './compare-schemas.js';
import { exampleOf } from './example-value.js';
import type { JsonSchema } from './json-schema.js';
import { schemaRefusals } from './schema-refusals.js';

const FOLDER = 'libs/contracts/snapshots/';
const SCHEMA = '.schema.json';
const EXAMPLE = '.example.json';
const WRITE = 'npm run check -- --write';

/** A file to be written: what is frozen of a contract, or the first example of an event. */
export interface SnapshotFile {
  readonly path: string;
  readonly content: unknown;
}

/** Where the example of an event is kept: what was emitted once must be understood for good. */
export function examplePath(subject: string): string {
  return FOLDER + subject + EXAMPLE;
}

/**
 * What is wrong between the contracts and what is frozen of them: a change that breaks somebody, a snapshot that is behind
 * or missing, one that is not declared any more, an example that its schema refuses.
 */
export function snapshotProblems(sources: Sources): readonly string[] {
  const { events, rpcs, problems } = catalogueOf(sources);
  const contracts = [...events, ...rpcs];
  return [
    ...problems,
    ...contracts.flatMap((contract) => schemaProblems(sources, contract)),
    ...events.flatMap((event) => exampleProblems(sources, event)),
    ...undeclared(sources, new Set(contracts.map(({ subject }) => subject))),
  ];
}

/** The snapshots that may be written: new ones, and those that only grow. Nothing that breaks somebody is among them. */
export function snapshotsToWrite(sources: Sources): readonly SnapshotFile[] {
  const { events, rpcs } = catalogueOf(sources);
  const schemas = [...events, ...rpcs].flatMap(({ subject, schema }): SnapshotFile[] => {
    const frozen = frozenSchema(sources, subject);
    const content = wireShape(schema);
    if (frozen && (breakingChanges(frozen, schema).length > 0 || isDeepStrictEqual(frozen, content))) return [];
    return [{ path: FOLDER + subject + SCHEMA, content }];
  });
  const examples = events.flatMap((event) => {
    const path = examplePath(event.subject);
    return textOf(sources, path) === undefined ? [{ path, content: exampleOf(event) }] : [];
  });
  return [...schemas, ...examples];
}

function schemaProblems(sources: Sources, { subject, schema }: Contract): string[] {
  const frozen = frozenSchema(sources, subject);
  if (!frozen) return [`${subject} is not frozen yet: ${WRITE}`];
  const breaking = breakingChanges(frozen, schema);
  if (breaking.length > 0) return breaking.map((change) => `${subject}: ${change}; ${nextVersion(subject)}`);
  return isDeepStrictEqual(frozen, wireShape(schema)) ? [] : [`the snapshot of ${subject} is behind: ${WRITE}`];
}

function nextVersion(subject: string): string {
  const version = /\.v(\d+)$/.exec(subject)?.[1];
  return version === undefined
    ? 'add another method (ADR 0009)'
    : `make v${Number(version) + 1} and emit it together with v${version} for a release (ADR 0009)`;
}

function exampleProblems(sources: Sources, { subject, schema }: Contract): string[] {
  const path = examplePath(subject);
  const text = textOf(sources, path);
  if (text === undefined) return [`${subject} has no example: ${WRITE}`];
  const example: unknown = JSON.parse(text);
  return schemaRefusals(schema, example).map((refusal) => `${path} is none of ${subject}: ${refusal}`);
}

function undeclared({ files }: Sources, declared: ReadonlySet<string>): string[] {
  return [...files.keys()].flatMap((path) => {
    const subject = path.startsWith(FOLDER) ? path.slice(FOLDER.length).replace(/\.(schema|example)\.json$/, '') : null;
    if (subject === null || declared.has(subject)) return [];
    return [`${path} is of no contract: delete it once no release emits or consumes ${subject} (ADR 0009)`];
  });
}

function frozenSchema(sources: Sources, subject: string): JsonSchema | undefined {
  const text = textOf(sources, FOLDER + subject + SCHEMA);
  return text === undefined ? undefined : (JSON.parse(text) as JsonSchema);
}
