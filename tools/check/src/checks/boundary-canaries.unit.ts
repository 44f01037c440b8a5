import { describe, expect, it } from '@jest/globals';
import { boundaryRules } from '../boundaries/boundary-rules.js';
import { canaries } from '../boundaries/canaries.js';
import { verbFolders } from '../boundaries/verb-folders.js';
import { judgeCanaries } from './boundary-canaries.js';

describe('the boundary canaries', () => {
  const rules = boundaryRules([]);
  const obeyed = canaries.map(({ rule, path }) => ({ rule, from: path, to: 'anything' }));

  it('hold when each rule names its own', () => {
    expect(judgeCanaries(rules, obeyed)).toEqual([]);
  });

  it('fail for every rule that stays silent', () => {
    for (const { name } of rules) {
      const silent = obeyed.filter(({ rule }) => rule !== name);
      expect(judgeCanaries(rules, silent)).not.toEqual([]);
    }
  });

  it('fail when another rule than the expected one names the file', () => {
    const swapped = obeyed.map((one, index) => (index === 0 ? { ...one, rule: 'no-cycles' } : one));
    expect(judgeCanaries(rules, swapped)).toHaveLength(1);
  });

  it('fail for a rule without a canary and for a lawful file that is refused', () => {
    expect(judgeCanaries([...rules, { name: 'new', from: {}, to: {} }], obeyed)).toEqual([
      'the rule new has no canary',
    ]);
    const refused = { rule: 'no-cycles', from: 'libs/phone/src/index.ts', to: 'anything' };
    expect(judgeCanaries(rules, [...obeyed, refused])).toHaveLength(1);
  });

  it('take for a verb what holds an edge, and for a room what holds verbs', () => {
    const paths = [
      'apps/a/src/message/message.entity.ts',
      'apps/a/src/send-message/send-message.handler.ts',
      'apps/a/src/edge/edge.controller.ts',
      'apps/a/src/edge/list/list.controller.ts',
      'apps/a/src/relay.worker.ts',
      'libs/a/src/loop/loop.worker.ts',
    ];
    expect(verbFolders(paths)).toEqual(['apps/a/src/edge/list', 'apps/a/src/send-message']);
  });
});
