import { describe, expect, it, jest } from '@jest/globals';
import * as argon2 from '@node-rs/argon2';

const hashed = jest.fn(argon2.hash);
const verified = jest.fn(argon2.verify);
jest.unstable_mockModule('@node-rs/argon2', () => ({ hash: hashed, verify: verified }));
const { Passwords } = await import('./passwords.js');

describe('the password of an account that does not exist', () => {
  it('costs one check and no more, the first time too, at the cost of those that exist', async () => {
    const passwords = new Passwords();
    expect(await passwords.verify(null, 'correct horse battery staple')).toBe(false);
    expect([hashed.mock.calls.length, verified.mock.calls.length]).toEqual([0, 1]);
    const known = await passwords.hash('correct horse battery staple');
    expect(await passwords.verify(known, 'correct horse battery staple')).toBe(true);
    const [ofDecoy, ofAccount] = verified.mock.calls.map(([phc]) => String(phc).split('$'));
    expect(ofDecoy?.slice(0, 4)).toEqual(ofAccount?.slice(0, 4));
    expect(ofDecoy?.map(({ length }) => length)).toEqual(ofAccount?.map(({ length }) => length));
  });
});
