import { networkInterfaces } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { addressTowards, ownHost } from './own-address.js';

const external = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .filter(({ family, internal }) => family === 'IPv4' && !internal)
  .map(({ address }) => address);

describe('the host of a server of this process', () => {
  it('is the one that it listens on, where that is one', async () => {
    expect(await ownHost('10.1.2.3', 'nats://127.0.0.1:4222')).toBe('10.1.2.3');
    expect(await ownHost('fd00::1', 'nats://127.0.0.1:4222')).toBe('[fd00::1]');
  });

  it('is on every address that on the way to NATS, whichever network is the first', async () => {
    for (const address of external) {
      expect(await ownHost('0.0.0.0', `nats://${address}:4222`)).toBe(address);
    }
    expect(await addressTowards('nats://127.0.0.1:4222')).toBe('127.0.0.1');
  });

  it('is one of IPv4 for a server on every address of IPv4, whatever the name of NATS leads to first', async () => {
    expect(await addressTowards('nats://[::1]:4222', 4)).toBeNull();
    const first = external[0] ?? '127.0.0.1';
    expect(await ownHost('0.0.0.0', 'nats://[::1]:4222')).toBe(first);
  });

  it('is none on a way that the system refuses', async () => {
    // A broadcast address, to which only a socket that asks for it may connect.
    expect(await addressTowards('nats://255.255.255.255:4222')).toBeNull();
  });

  it('is that of the first network where NATS is on this machine, or is not to be found', async () => {
    const first = external[0] ?? '127.0.0.1';
    expect(await ownHost('0.0.0.0', 'nats://127.0.0.1:4222')).toBe(first);
    expect(await ownHost('0.0.0.0', 'nats://absent.invalid:4222')).toBe(first);
  });
});
