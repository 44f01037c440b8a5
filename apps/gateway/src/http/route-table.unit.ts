import { describe, expect, it } from '@jest/globals';
import { pathOf, RouteTable } from './route-table.js';

describe('paths', () => {
  it('know their methods, parameters included, and tell nothing of others', () => {
    const table = new RouteTable();
    table.add({ method: 'POST', url: '/v1/messages' });
    table.add({ method: ['GET', 'HEAD'], url: '/v1/messages/:id' });
    expect(table.methodsOf('/v1/messages')).toEqual(['POST']);
    expect(table.methodsOf('/v1/messages/c1')).toEqual(['GET', 'HEAD']);
    expect(['/v1/messages/', '/v1', '/v1/messages/c1/x'].map((path) => table.methodsOf(path))).toEqual([[], [], []]);
    expect(['/v1/messages/c1', '/v1/messages/'].map((path) => table.isShadowed('/v1/messages/:id', path))).toEqual([
      false,
      true,
    ]);
    table.add({ method: 'GET', url: '/app/:page(^(?!api$).+$)' });
    expect(table.isShadowed('/app/:page(^(?!api$).+$)', '/app/contacts')).toBe(false);
    expect(['/app/contacts', '/app/api'].map((path) => table.methodsOf(path))).toEqual([['GET'], []]);
    expect(() => table.add({ method: 'GET', url: '/app/:page(^[^/]+$)' })).toThrow('no slash');
    table.add({ method: 'GET', url: '/files/:name/*' });
    table.add({ method: 'POST', url: '/files/:name/:part' });
    table.add({ method: 'PUT', url: '/files/:name/parts' });
    const paths = ['/files/a', '/files//a', '/files/a/', '/files/a/b/c', '/files/a/b', '/files/a/parts'];
    expect(paths.map((path) => table.methodsOf(path))).toEqual([[], [], ['GET'], ['GET'], ['POST'], ['PUT']]);
    expect(paths.map((path) => table.isShadowed('/files/:name/*', path)).slice(2)).toEqual([false, false, true, true]);
    expect(['/a?b', 'http://host/a?b', '/a#b', '/a', '*'].map(pathOf)).toEqual(['/a', '/a', '/a', '/a', '*']);
  });
});
