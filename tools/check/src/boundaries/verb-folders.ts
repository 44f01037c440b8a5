import { posix } from 'node:path';
import type { IForbiddenRuleType } from 'dependency-cruiser';

/**
 * Roles that mark an edge of a use case: what holds one is a verb folder. The simulator is no service: its folders are the
 * parts of one small program that stands for the provider.
 */
const edge = /^(apps\/(?!upstream-simulator\/)[^/]+\/src\/.+)\/[^/]+\.(controller|handler|consumer|worker)\.tsx?$/;

/**
 * The verb folders of all services: those below `src` that hold a controller, handler, consumer or worker.
 *
 * A folder that has verb folders inside is a room, such as the gateway's `v1`, and no verb itself.
 */
export function verbFolders(paths: readonly string[]): readonly string[] {
  const holding = new Set(paths.flatMap((path) => (edge.test(path) ? [posix.dirname(path)] : [])));
  return [...holding].filter((folder) => ![...holding].some((other) => other.startsWith(`${folder}/`))).sort();
}

/** Verb folders never import each other; they meet at nouns. Importing one's own is not asked about. */
export function verbRule(paths: readonly string[]): IForbiddenRuleType {
  const folders = verbFolders(paths).map((folder) => folder.replaceAll('.', '\\.'));
  // With no verb folder at all the alternation must match nothing, not everything.
  const anyVerb = folders.length > 0 ? `^(${folders.join('|')})/` : '^$';
  return {
    name: 'verbs-never-import-verbs',
    comment: 'What two use cases need is a noun: an entity, a repository, a policy.',
    from: { path: anyVerb },
    to: { path: anyVerb, pathNot: '^$1/' },
  };
}
