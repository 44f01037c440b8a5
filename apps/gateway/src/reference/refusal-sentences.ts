import { AppError } from '@switchboard/contracts/grammar/app-error';
import { readParts } from '../http/request-input.js';
import type { MountedRoute } from '../http/route-table.js';
import { exampleIds } from '../description/example-values.js';

/** What a route's refusals say, by code, where the route knows better than the registry. */
export function sentencesOf(route: MountedRoute): Readonly<Record<string, string>> {
  const { declaration } = route;
  const scope = declaration.access === 'key' ? declaration.scope : null;
  const invalid = sentenceOfInvalid(route);
  return {
    ...(invalid !== null && { VALIDATION_FAILED: invalid }),
    ...(scope !== null && { INSUFFICIENT_SCOPE: `The API key lacks the scope \`${scope}\`` }),
    ...declaration.docs?.sentences,
  };
}

/** What the route itself answers to a request that lacks what it needs; null for one that needs and reads nothing. */
function sentenceOfInvalid(route: MountedRoute): string | null {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const ids = Object.fromEntries(names.map((name) => [name, exampleIds.contact]));
  // Bodies and queries are read after the path: what is wrong with them shows where the path is right.
  for (const params of [ids, {}]) {
    try {
      readParts(route, { params, query: { limit: '0' }, body: {} });
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  }
  return null;
}
