import { describe, expect, it } from '@jest/globals';
import { defineRpc } from '@switchboard/contracts/grammar/define-rpc';
import { sourcesOf } from '../sources.js';
import { judgeGrants } from './rpc-grants.js';

const openRpc = defineRpc('doors', 'open', { deadlineMs: 1 });
const shutRpc = defineRpc('doors', 'shut', { deadlineMs: 1 });
const CONTRACTS = `
export const openRpc = defineRpc<{ readonly id: Cuid }, Door>('doors', 'open', { deadlineMs: 1 });
export const shutRpc = defineRpc<
  { readonly id: Cuid },
  Door
>('doors', 'shut', { deadlineMs: 1 });
`;

/** The problems of a service `house` with these grants and this source. */
function problemsOf(calls: readonly (typeof openRpc)[], source: string, library = ''): readonly string[] {
  const sources = sourcesOf({
    'libs/contracts/src/doors.ts': CONTRACTS,
    'libs/platform/src/close.ts': library,
    'apps/house/src/house.ts': source,
    'apps/house/src/house.int.ts': 'await rpc.call(shutRpc, principal, {});',
  });
  return judgeGrants(sources, { house: { calls } });
}

describe('the grants of requests', () => {
  it('pass where a service makes each request that it is granted', () => {
    expect(
      problemsOf([openRpc], "import { openRpc } from 'c';\nawait this.rpc.call(openRpc, principal, { id });"),
    ).toEqual([]);
    expect(problemsOf([openRpc, shutRpc], 'this.rpc.call(wide ? openRpc : shutRpc, principal, {});')).toEqual([]);
  });

  it('refuse a call without a grant', () => {
    expect(problemsOf([openRpc], 'rpc.call(openRpc, p, {}); rpc.call(shutRpc, p, {});')).toEqual([
      'house calls rpc.doors.shut, which the topology does not grant',
    ]);
  });

  it('refuse a grant that only an import, a type, a comment, a handler or a test mentions', () => {
    const unused =
      "import { shutRpc } from 'c';\n// shutRpc\ntype Rpc = typeof shutRpc;\n@RpcHandler(shutRpc)\nshutRpc.deadlineMs;\n";
    expect(problemsOf([openRpc, shutRpc], `${unused}rpc.call(openRpc, p, {});`)).toEqual([
      'the topology grants rpc.doors.shut to house, which does not call it',
    ]);
  });

  it('pass a grant whose request the library of all services makes', () => {
    expect(problemsOf([shutRpc], '', 'rpc.call(shutRpc, principal, {});')).toEqual([]);
  });
});
