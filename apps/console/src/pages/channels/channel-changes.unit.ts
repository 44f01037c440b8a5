import { describe, expect, it } from '@jest/globals';
import { changesOf, type ChannelFields } from './channel-changes.js';

describe('the changes of a channel', () => {
  const before: ChannelFields = { defaultRegion: 'DE', optOutKeywords: ['ALTO', 'BASTA'] };

  it('are the fields that the form has changed, and no other', () => {
    expect(changesOf(before, before, '')).toEqual({});
    expect(changesOf(before, before, 'a token')).toEqual({ accessToken: 'a token' });
    expect(changesOf(before, { ...before, defaultRegion: 'mx' }, '')).toEqual({ defaultRegion: 'MX' });
    expect(changesOf(before, { ...before, optOutKeywords: ['ALTO'] }, '')).toEqual({ optOutKeywords: ['ALTO'] });
    expect(changesOf(before, { ...before, optOutKeywords: [] }, '')).toEqual({ optOutKeywords: [] });
  });

  it('are none when only the order of the keywords or the case of the region is another', () => {
    expect(changesOf(before, { defaultRegion: 'de', optOutKeywords: ['BASTA', 'ALTO'] }, '')).toEqual({});
  });
});
