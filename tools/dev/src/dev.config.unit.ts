import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDevConfig } from './dev.config.js';

const root = mkdtempSync(join(tmpdir(), 'switchboard-config-'));
writeFileSync(join(root, '.env'), 'PORT=4000\nLOG_LEVEL=debug\nHOMEMADE=1\n');
writeFileSync(
  join(root, '.env.example'),
  '# LOG_LEVEL=info\n# PORT=3000\n# DATABASE_URL=postgres://x\n\n# With Docker.\n# NATS_PASSWORD=\n',
);
afterAll(() => rmSync(root, { recursive: true }));

describe('the configuration of a start', () => {
  it('is the environment before .env before the defaults, and an empty value is none', () => {
    expect(readDevConfig(root, [], {}).port).toBe(4000);
    expect(readDevConfig(root, [], { PORT: '5000' }).port).toBe(5000);
    expect(readDevConfig(root, [], { PORT: '' }).port).toBe(4000);
    expect(readDevConfig('/nowhere', [], {})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      dataDir: '/nowhere/.data',
    });
  });

  it('knows --detach and --reset also where npm has swallowed them', () => {
    expect(readDevConfig(root, ['--detach', '--reset'], {})).toMatchObject({ isDetached: true, isReset: true });
    const swallowed = { npm_config_detach: 'true', npm_config_reset: 'true' };
    expect(readDevConfig(root, [], swallowed)).toMatchObject({ isDetached: true, isReset: true });
    expect(readDevConfig(root, [], { npm_config_detach: 'false' })).toMatchObject({
      isDetached: false,
      isReset: false,
    });
  });

  it('names the address of a server that is none, and quotes nothing of it', () => {
    const refused = (): unknown =>
      readDevConfig(root, [], { DATABASE_URL: 'secret', NATS_URL: 'nats://a:4222,secret' });
    expect(refused).toThrow(
      /^DATABASE_URL must be a URL, postgres:\/\/[^\n]+\.\nNATS_URL must be a URL, nats:\/\/host:4222\.$/,
    );
    expect(readDevConfig(root, [], { NATS_URL: 'nats://a:4222,nats://b:4222' }).natsUrl).toBeDefined();
  });

  it('hands on documented keys and OpenTelemetry, never what the supervisor sets itself or what is undocumented', () => {
    const environment = { DATABASE_URL: 'postgres://mine', OTEL_SERVICE_NAME: 'x', AWS_SECRET: 'y' };
    expect(readDevConfig(root, [], environment).passed).toEqual({ LOG_LEVEL: 'debug', OTEL_SERVICE_NAME: 'x' });
  });

  it.each([
    [{ PGSSLMODE: 'require' }, 'postgres://mine:5/x', 'postgres://mine:5/x?sslmode=verify-full'],
    [{ PGSSLMODE: 'no-verify' }, 'postgres://mine:5/x', 'postgres://mine:5/x?sslmode=no-verify'],
    [{ PGSSLMODE: 'disable' }, 'postgres://mine:5/x?sslmode=verify-full', 'postgres://mine:5/x?sslmode=verify-full'],
    [{ PGSSLMODE: 'nonsense' }, 'postgres://mine:5/x', 'postgres://mine:5/x'],
    [{}, 'postgres://mine:5/x', 'postgres://mine:5/x'],
  ])(
    'has services connect to a database of the user with the TLS that %j asks the supervisor for',
    (own, url, found) => {
      expect(readDevConfig(root, [], { ...own, DATABASE_URL: url }).databaseUrl).toBe(found);
    },
  );

  it('hands on nothing that is documented for Docker alone', () => {
    expect(readDevConfig(root, [], { NATS_PASSWORD: 'secret' }).passed).toEqual({ LOG_LEVEL: 'debug' });
  });

  it('leaves the port of the simulator to the data folder, and has messages read after two seconds', () => {
    expect(readDevConfig(root, [], {}).simulator).toEqual({ port: undefined, readDelayMs: 2_000 });
    const environment = { SIMULATOR_PORT: '4011', SIMULATOR_READ_DELAY_MS: '0' };
    expect(readDevConfig(root, [], environment).simulator).toEqual({ port: 4011, readDelayMs: 0 });
  });

  it('counts replicas by service', () => {
    const { replicas } = readDevConfig(root, [], { SWITCHBOARD_REPLICAS: 'gateway=4, messaging=2' });
    expect(replicas).toEqual({ gateway: 4, messaging: 2 });
  });

  it.each([
    [{ PORT: 'x' }, [], 'PORT must be'],
    [{ PORT: '65536' }, [], 'PORT must be'],
    [{ SIMULATOR_PORT: '65536' }, [], 'SIMULATOR_PORT must be'],
    [{ SIMULATOR_READ_DELAY_MS: '-1' }, [], 'SIMULATOR_READ_DELAY_MS must be'],
    [{ SWITCHBOARD_REPLICAS: 'gateway' }, [], 'SWITCHBOARD_REPLICAS must look like'],
    [{ SWITCHBOARD_REPLICAS: 'gateway=0' }, [], 'SWITCHBOARD_REPLICAS must look like'],
    [{}, ['--rest'], 'Unknown option --rest'],
  ])('refuses %j %j, naming it', (environment, args, message) => {
    expect(() => readDevConfig(root, args, environment)).toThrow(message);
  });
});
