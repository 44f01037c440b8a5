import { describe, expect, it } from '@jest/globals';
import { mountedRoutes } from '../routes.js';
import { RouteTable } from './route-table.js';

const routes = await mountedRoutes();
const table = new RouteTable();
for (const { method, path, declaration } of routes) table.add({ method, url: path, config: { declaration } });
const literals = [...new Set(routes.map(({ path }) => path))].filter((path) => !path.includes('/:'));
const methodsAt = (path: string): string[] =>
  routes
    .filter((route) => route.path === path)
    .map(({ method }) => method)
    .sort();
/** Paths with a parameter that a literal path fits too, with methods that the literal one has not. */
const collisions = literals.flatMap((literal) =>
  routes
    .filter(({ path, method }) => isFilledBy(path, literal) && !methodsAt(literal).includes(method))
    .map(({ path, method }) => ({ literal, path, method })),
);

function isFilledBy(pattern: string, path: string): boolean {
  const [own, other] = [pattern.split('/'), path.split('/')];
  return (
    pattern !== path &&
    own.length === other.length &&
    own.every((segment, index) => segment.startsWith(':') || segment === other[index])
  );
}

describe('a path of its own that is also a parameter of another route', () => {
  it('exists: the list is not empty', () => {
    expect(collisions.map(({ method, literal }) => `${method} ${literal}`)).toContain('DELETE /app/api/invites/accept');
  });

  it.each(collisions)('$method $literal is not $path: it allows its own methods alone', ({ literal, path }) => {
    expect(table.isShadowed(path, literal)).toBe(true);
    expect(table.methodsOf(literal)).toEqual(methodsAt(literal));
  });

  it('leaves every other path to its route', () => {
    for (const { path } of routes) expect(table.isShadowed(path, path.replace(/:\w+/g, 'c0000000'))).toBe(false);
  });
});
