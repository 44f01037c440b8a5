import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sealBytes } from './aes-gcm.js';
import { SecretBox, type SecretPlace } from './secret-box.js';

const current = randomBytes(32);
const place: SecretPlace = { organizationId: 'c1', table: 'webhook', row: 'c2', column: 'secret_sealed' };
const box = new SecretBox({ current, previous: null });
const dataKey = box.newDataKey('c1');

describe('SecretBox', () => {
  it('opens what it sealed, and shows none of it in the bytes', () => {
    const sealed = box.seal('whsec_geheim ✓', place, dataKey);
    expect(box.open(sealed, place)).toBe('whsec_geheim ✓');
    expect(sealed.includes('whsec')).toBe(false);
    expect(box.seal('whsec_geheim ✓', place, dataKey).equals(sealed)).toBe(false);
  });

  it('opens a value at no other organization, table, row or column, once opened at its own too', () => {
    const sealed = box.seal('secret', place, dataKey);
    box.open(sealed, place);
    for (const part of Object.keys(place)) {
      expect(() => box.open(sealed, { ...place, [part]: 'other' })).toThrow();
    }
  });

  it('opens a value of which any bit was changed never', () => {
    const sealed = box.seal('secret', place, dataKey);
    for (let byte = 0; byte < sealed.length; byte += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(byte) ^ 1, byte);
      expect(() => box.open(changed, place)).toThrow();
    }
  });

  it('uses no data key of another organization, and no master key that it does not have', () => {
    expect(() => box.seal('secret', { ...place, organizationId: 'c9' }, dataKey)).toThrow();
    const stranger = new SecretBox({ current: randomBytes(32), previous: null });
    expect(() => stranger.open(box.seal('secret', place, dataKey), place)).toThrow(/unknown master key/);
  });

  it('opens with the previous master key while it is given, and says what is not current', () => {
    const rotated = new SecretBox({ current: randomBytes(32), previous: current });
    const old = box.seal('secret', place, dataKey);
    expect(rotated.open(old, place)).toBe('secret');
    expect([rotated.isCurrent(old), rotated.isCurrent(dataKey)]).toEqual([false, false]);
    const fresh = rotated.newDataKey('c1');
    expect([rotated.isCurrent(rotated.seal('secret', place, fresh)), rotated.isCurrent(fresh)]).toEqual([true, true]);
  });

  it('opens values of earlier versions, sealed with a master key for no place, only where that is asked for', () => {
    const earlier = sealBytes(Buffer.from('token'), current, null);
    expect(new SecretBox({ current, previous: null }, { readsUnbound: true }).open(earlier, place)).toBe('token');
    expect(
      new SecretBox({ current: randomBytes(32), previous: current }, { readsUnbound: true }).open(earlier, place),
    ).toBe('token');
    expect(() => box.open(earlier, place)).toThrow(/not sealed for any place/);
  });
});
