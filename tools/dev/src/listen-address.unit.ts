import { describe, expect, it } from '@jest/globals';
import { describeService } from './dev-json.js';
import { shownUrl, urlWithin } from './listen-address.js';
import { Secrets } from './secrets.js';
import { serviceEnvironment } from './service-environment.js';

describe('an address to listen on', () => {
  it('is reached from this machine where it is, and on loopback where it is every address', () => {
    const hosts = ['127.0.0.1', '0.0.0.0', '127.0.0.2', '::1', '::', '[::1]'];
    const within = hosts.map((host) => urlWithin(host, 3000));
    const own = 'http://127.0.0.1:3000';
    const six = 'http://[::1]:3000';
    expect(within).toEqual([own, own, 'http://127.0.0.2:3000', six, six, six]);
    const shown = hosts.map((host) => shownUrl(host, 3000));
    const local = 'http://localhost:3000';
    expect(shown).toEqual([local, local, 'http://127.0.0.2:3000', local, local, local]);
  });

  it('has no port where it is that of http, which a URL that was read does not name either', () => {
    const ports = [80, '80', new URL('http://127.0.0.1:80').port];
    expect(ports.map((port) => shownUrl('127.0.0.1', port))).toEqual(Array(3).fill('http://localhost'));
    expect(ports.map((port) => urlWithin('::', port))).toEqual(Array(3).fill('http://[::1]'));
    const run = { name: 'gateway', pid: 1, url: 'http://127.0.0.1:80', internalUrl: 'http://127.0.0.1:4000' };
    expect(describeService(run)).toMatchObject({ url: 'http://127.0.0.1', health: 'http://127.0.0.1/health/ready' });
  });

  it('is where the earlier base leads to, and where dev.json has the service', async () => {
    const common = { secrets: await Secrets.open('/dev/null'), compileCache: '/dev/null', passed: {} };
    const environment = serviceEnvironment(common, {
      name: 'gateway',
      databaseUrl: '',
      nats: {},
      cloudBaseUrl: undefined,
      listen: { host: '127.0.0.2', port: 3000, isHandedOver: false },
      internalPort: 0,
      stateFolder: '',
    });
    expect(environment['PUBLIC_BASE_URL']).toBe('http://127.0.0.2:3000');
    const run = { name: 'gateway', pid: 1, url: 'http://[::]:3000', internalUrl: 'http://127.0.0.1:4000' };
    expect(describeService(run)).toMatchObject({ url: 'http://[::1]:3000', metrics: 'http://127.0.0.1:4000/metrics' });
  });
});
