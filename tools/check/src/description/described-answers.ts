import { readFileSync } from 'node:fs';
import type { JsonObject } from './closed-schemas.js';
import { DescribedApi, type SeenAnswer } from './described-api.js';

/** The description of /v1 as it is kept in the repository; a test says that it is the one that is served. */
export const publicDescription: JsonObject = read('docs/openapi.json');

/** The same for the application's API. */
export const appDescription: JsonObject = read('docs/app-openapi.json');

const apis = [new DescribedApi(publicDescription, '/v1'), new DescribedApi(appDescription, '/app/api')];

/** What of an answer the description of its API does not know, a sentence each; none for what belongs to neither. */
export function undescribedOf(answer: SeenAnswer): readonly string[] {
  return apis.flatMap((api) => api.problemsOf(answer));
}

/** Holds an answer to the description. @throws Error that names what of the answer is not described */
export function assertDescribed(answer: SeenAnswer): void {
  const problems = undescribedOf(answer);
  if (problems.length === 0) return;
  const { method, target, status, text } = answer;
  throw new Error(
    `${method} ${target} is not answered as described: ${problems.join('; ')}; it was ${status} ${text.slice(0, 500)}`,
  );
}

function read(path: string): JsonObject {
  return JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')) as JsonObject;
}
