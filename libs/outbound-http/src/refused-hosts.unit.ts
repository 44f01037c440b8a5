import { describe, expect, it } from '@jest/globals';
import { parseRefusedHosts } from './refused-hosts.policy.js';

describe('the hosts of our own', () => {
  it('are names and addresses, with a port or for every port, as they are in a URL', () => {
    expect(
      parseRefusedHosts(' Console.example.org, 10.0.0.9:9200,[2001:DB8:0::1]:443,[::1],my_db, bücher.example,'),
    ).toEqual([
      { host: 'console.example.org', port: null },
      { host: '10.0.0.9', port: 9200 },
      { host: '2001:db8::1', port: 443 },
      { host: '::1', port: null },
      { host: 'my_db', port: null },
      { host: 'xn--bcher-kva.example', port: null },
    ]);
  });

  it.each([
    'https://console.example.org',
    'console.example.org/path',
    'console.example.org:99999',
    'console.example.org:0',
    'console.example.org:',
    '*.example.org',
    '10.0.0.0/8',
    '2001:db8::1',
    '[2001:db8:::1]',
    '999.1.1.1',
    'user@db',
    'two words',
  ])('are not %s, which would refuse nothing', (item) => {
    expect(() => parseRefusedHosts(`db.internal,${item}`)).toThrow(`"${item}" must be host[:port]`);
  });
});
