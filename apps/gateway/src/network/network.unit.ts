import { describe, expect, it } from '@jest/globals';
import { gatewayConfig } from '../gateway.config.js';
import { forwardedAddresses, networkOf } from './network.policy.js';
import { parseTrustedProxies, trustOf } from './trusted-proxies.policy.js';

const trusts = (setting: string, address: string, hop: number): boolean => {
  const trust = trustOf(parseTrustedProxies(setting));
  return trust !== false && trust(address, hop);
};

describe('TRUST_PROXY', () => {
  it.each([
    ['1', '203.0.113.9', 0, true],
    ['1', '203.0.113.9', 1, false],
    ['2', '203.0.113.9', 1, true],
    ['10.0.0.0/8, 2001:db8::/32', '10.200.0.1', 5, true],
    ['10.0.0.0/8, 2001:db8::/32', '2001:db8:9::1', 0, true],
    ['10.0.0.0/8, 2001:db8::/32', '11.0.0.1', 0, false],
    ['192.0.2.7', '192.0.2.7', 0, true],
    ['192.0.2.7', '::ffff:192.0.2.7', 0, true],
    ['192.0.2.7', '192.0.2.8', 0, false],
    ['fe80::1', 'fe80::1%eth0', 0, true],
    ['192.0.2.7', 'unix:', 0, false],
  ])('%s: %s as hop %i is trusted: %p', (setting, address, hop, isTrusted) => {
    expect(trusts(setting, address, hop)).toBe(isTrusted);
  });

  it.each([
    'true',
    'all',
    '0',
    '17',
    '-1',
    '1.5',
    '1, 10.0.0.1',
    'loopback',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    'a.example',
    '10.0.0.1,',
    '::1/129',
  ])('is refused as %j, in one sentence that names it', (setting) => {
    const problem =
      /^configuration:\n {2}TRUST_PROXY: must be a number of proxies[^\n]*, or addresses and CIDRs by comma[^\n]*$/;
    const required = { DATABASE_URL: 'postgres://a', NATS_URL: 'a', NATS_USER: 'a', NATS_PASSWORD: 'a' };
    const credentialsKey = { CREDENTIALS_KEY: Buffer.alloc(32).toString('base64') };
    const secrets = { CLOUD_APP_SECRET: 'a', CLOUD_VERIFY_TOKEN: 'a', ...credentialsKey };
    expect(() => gatewayConfig({ ...required, ...secrets, TRUST_PROXY: setting })).toThrow(problem);
  });

  it('says of a number among addresses that it is one', () => {
    expect(() => parseTrustedProxies('1, 10.0.0.1')).toThrow('"1" is a number among addresses');
    expect(() => parseTrustedProxies('10.0.0.1, a.example')).toThrow('"a.example" is neither');
  });
});

describe('X-Forwarded-For', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711, 198.51.100.2:80', '192.0.2.1, 198.51.100.2'],
    ['[2001:db8::1]:443,[2001:db8::2]', '2001:db8::1, 2001:db8::2'],
    ['2001:db8::1', '2001:db8::1'],
    // What is left of no address was said by somebody whom no proxy vouches for.
    ['192.0.2.1, unknown, 198.51.100.2', '198.51.100.2'],
    ['192.0.2.1:port', ''],
    ['', ''],
  ])('%j holds the addresses %j', (header, addresses) => {
    expect(forwardedAddresses(header)).toBe(addresses);
  });
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:1::9', '2001:db8:0:1'],
    ['2001:db8:0:1:ffff::', '2001:db8:0:1'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
