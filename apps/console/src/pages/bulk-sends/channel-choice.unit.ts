import { describe, expect, it } from '@jest/globals';
import type { ManagedChannel } from '../../api/api.generated.js';
import { channelChoice } from './channel-choice.js';

const channel = (id: string, businessAccountId: string, status = 'CONNECTED') =>
  ({ id, businessAccountId, status, name: `Line ${id}`, phone: `+1201555010${id}` }) as ManagedChannel;

describe('the channel that a template is sent from', () => {
  const template = { businessAccountId: 'shop', messagingChannelId: '2' };
  const other = channel('9', 'other');
  const [first, second, third] = [channel('1', 'shop'), channel('2', 'shop'), channel('3', 'shop')];
  const off = channel('2', 'shop', 'DISCONNECTED');
  const sentFrom = (all: readonly ManagedChannel[], chosenId: string | null = null) => {
    const { chosen, problem } = channelChoice(template, all, chosenId);
    return [chosen?.id, problem];
  };

  it('is one of the template’s business account, whichever is the default one of the organization', () => {
    expect(channelChoice(template, [other, first, second, third], null)).toEqual({
      channels: [second, first, third],
      chosen: second,
      problem: null,
    });
  });

  it('is the one that was chosen, unless that is of another account', () => {
    expect(sentFrom([first, second, other], '1')).toEqual(['1', null]);
    expect(sentFrom([first, second, other], '9')).toEqual(['2', null]);
  });

  it('is never another one because the chosen one is disconnected', () => {
    expect(sentFrom([first, off])).toEqual(['2', 'Line 2, +12015550102 is disconnected: choose another channel.']);
    expect(sentFrom([first, off], '1')).toEqual(['1', null]);
  });

  it('is missing where no channel of the account is connected, or the default one is not known yet', () => {
    const none = 'No channel of this template’s business account is connected.';
    expect(sentFrom([other, off])).toEqual(['2', none]);
    expect(sentFrom([other])).toEqual([undefined, none]);
    expect(sentFrom([first])).toEqual([undefined, 'Choose the channel to send from.']);
  });
});
