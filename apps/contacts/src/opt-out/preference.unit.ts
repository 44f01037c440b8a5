import { describe, expect, it } from '@jest/globals';
import type { SightedPreference } from '@switchboard/contracts/contacts/rpc';
import fc from 'fast-check';
import type { Contact, OptOut } from '../contact/contact.entity.js';
import { preferencePatch, type Statement } from './preference.policy.js';

type State = Pick<Contact, 'optOuts' | 'appliedStatements'>;
const nothing: State = { optOuts: [], appliedStatements: null };
const at = (second: number): string => new Date(second * 1_000).toISOString();
const on = (channelId: string, source: OptOut['source']): OptOut => ({ id: 'c0', channelId, source, reason: null });

let ids = 0;
const newId = (): string => `cnew${++ids}`;

function say(
  state: State,
  value: 'stop' | 'start',
  second: number,
  id = `wamid.${second}`,
  { order, ...more }: Partial<SightedPreference & Pick<Statement, 'order'>> = {},
): State {
  const preference: SightedPreference = { channelId: 'c1', value, source: 'KEYWORD', ...more };
  const statement = { id, at: at(second), ...(order && { order }) };
  return { ...state, ...preferencePatch(state, preference, statement, newId) };
}

const channelsOf = ({ optOuts }: State): string[] => optOuts.map(({ channelId, source }) => `${channelId} ${source}`);

describe('a stated preference', () => {
  it('stop opts out on its channel once, start removes that', () => {
    const stopped = say(nothing, 'stop', 1);
    expect(channelsOf(stopped)).toEqual(['c1 KEYWORD']);
    expect(channelsOf(say(stopped, 'stop', 2))).toEqual(['c1 KEYWORD']);
    expect(channelsOf(say(stopped, 'start', 2))).toEqual([]);
    expect(channelsOf(say(nothing, 'stop', 1, 'a', { source: 'UPSTREAM' }))).toEqual(['c1 UPSTREAM']);
  });

  it('start removes what the person or the upstream recorded for that channel, and nothing that others did', () => {
    const state = { ...nothing, optOuts: [on('*', 'API'), on('c1', 'UPSTREAM'), on('c2', 'KEYWORD')] };
    expect(channelsOf(say(state, 'start', 1))).toEqual(['* API', 'c2 KEYWORD']);
    for (const source of ['API', 'CONSOLE'] as const) {
      expect(channelsOf(say({ ...nothing, optOuts: [on('c1', source)] }, 'start', 1))).toEqual([`c1 ${source}`]);
    }
  });

  it('stop is recorded in addition to an opt-out of all channels, which may be removed before it', () => {
    expect(channelsOf(say({ ...nothing, optOuts: [on('*', 'API')] }, 'stop', 1))).toEqual(['* API', 'c1 KEYWORD']);
  });

  it('repeated does nothing, also after the opt-out was removed by hand', () => {
    const removed = { ...say(nothing, 'stop', 1), optOuts: [] };
    expect(say(removed, 'stop', 1)).toEqual(removed);
    expect(channelsOf(say(removed, 'stop', 1, 'another message of that second'))).toEqual(['c1 KEYWORD']);
  });

  it('leaves what is said on other channels alone', () => {
    const both = say(say(nothing, 'stop', 5), 'start', 1, 'b', { channelId: 'c2' });
    expect(channelsOf(both)).toEqual(['c1 KEYWORD']);
    expect(channelsOf(say(both, 'stop', 2, 'c', { channelId: 'c2' }))).toEqual(['c1 KEYWORD', 'c2 KEYWORD']);
  });

  it('of one moment ends as the one that came last, in whatever order and however often they are applied', () => {
    const said = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }).chain((stops) => {
      const all = stops.map((isStop, n) => ({ isStop, id: `wamid.${n}`, order: `c000000${n}` }));
      const twice = [...all, ...all];
      return fc.record({
        all: fc.constant(all),
        applied: fc.shuffledSubarray(twice, { minLength: twice.length, maxLength: twice.length }),
      });
    });
    fc.assert(
      fc.property(said, ({ all, applied }) => {
        const state = applied.reduce<State>(
          (before, { isStop, id, order }) => say(before, isStop ? 'stop' : 'start', 1, id, { order }),
          nothing,
        );
        expect(channelsOf(state)).toEqual(all.at(-1)?.isStop ? ['c1 KEYWORD'] : []);
      }),
    );
  });

  it('of one moment holds as it is applied where an older release does not say which came last', () => {
    const stopped = say(nothing, 'stop', 1, 'a', { order: 'c0000002' });
    expect(channelsOf(say(stopped, 'start', 1, 'b'))).toEqual([]);
    expect(channelsOf(say(say(nothing, 'stop', 1, 'a'), 'start', 1, 'b', { order: 'c0000001' }))).toEqual([]);
  });

  it('ends as the last one said, in whatever order and however often they arrive', () => {
    const statements = fc.uniqueArray(fc.record({ second: fc.integer({ min: 1, max: 9 }), isStop: fc.boolean() }), {
      minLength: 1,
      selector: ({ second }) => second,
    });
    const orders = statements.chain((said) =>
      fc.record({
        said: fc.constant(said),
        order: fc.array(fc.constantFrom(...said), { maxLength: 12 }).chain((again) =>
          fc.shuffledSubarray([...said, ...again], {
            minLength: said.length + again.length,
            maxLength: said.length + again.length,
          }),
        ),
      }),
    );
    fc.assert(
      fc.property(orders, ({ said, order }) => {
        const state = order.reduce<State>(
          (before, { second, isStop }) => say(before, isStop ? 'stop' : 'start', second),
          nothing,
        );
        const last = said.reduce((one, other) => (one.second > other.second ? one : other));
        expect(channelsOf(state)).toEqual(last.isStop ? ['c1 KEYWORD'] : []);
      }),
    );
  });
});
