import { describe, expect, it } from '@jest/globals';
import type { Template } from '../../api/api.generated.js';
import { sendBodyOf } from './send-body.js';

const template = (parameterFormat: string) =>
  ({ id: 't1', parameterFormat, variables: [{ name: 'first' }, { name: 'order' }] }) as unknown as Template;
const ada = { line: 2, to: '+4915123459771', values: ['Ada', '4711'] };
const atOnce = { channelId: 'c1', throttle: '', start: null } as const;

describe('the body of a bulk send', () => {
  it('has the values of a template with named variables by their names, of another in their order, and none where there are none', () => {
    const variablesOf = (format: string, values = ada.values) =>
      sendBodyOf(template(format), [{ ...ada, values }], atOnce).recipients;
    expect(variablesOf('NAMED')).toEqual([{ to: ada.to, variables: { first: 'Ada', order: '4711' } }]);
    expect(variablesOf('POSITIONAL')).toEqual([{ to: ada.to, variables: ['Ada', '4711'] }]);
    expect(variablesOf('POSITIONAL', [])).toEqual([{ to: ada.to }]);
  });

  it('says when it starts and how fast it goes only where that was chosen', () => {
    const start = new Date('2026-01-20T10:00:00.000Z');
    const body = { templateId: 't1', messagingChannelId: 'c1', recipients: [] };
    expect(sendBodyOf(template('NAMED'), [], atOnce)).toEqual(body);
    expect(sendBodyOf(template('NAMED'), [], { ...atOnce, throttle: 60, start })).toEqual({
      ...body,
      throttlePerHour: 60,
      scheduledAt: '2026-01-20T10:00:00.000Z',
    });
  });
});
