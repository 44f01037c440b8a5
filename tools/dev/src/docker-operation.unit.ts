import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { serviceNames as names } from '@switchboard/contracts/topology';
import { postgresSettings } from '@switchboard/embedded-servers';
import { programOf, readCompose } from '../test/compose-file.js';

const root = resolve(import.meta.dirname, '..', '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const { services } = readCompose(textOf('docker-compose.yml'));

describe('docker-compose.yml', () => {
  it('gives PostgreSQL the connections of the local run, and keeps rows and parameters out of its log as there', () => {
    const settings = Object.entries(postgresSettings).map(([name, value]) => `--${name}=${value}`);
    expect(services['postgres']?.command).toEqual(['postgres', ...settings]);
  });
});

describe('docker-compose.yml lets an operator', () => {
  it('wait for servers that recover after a loss of power, and for nothing else so long', () => {
    const patience = Object.entries(services).flatMap(([name, { healthcheck }]) =>
      healthcheck === undefined ? [] : [[name, healthcheck.start_period] as const],
    );
    expect(Object.fromEntries(patience)).toEqual({
      ...Object.fromEntries([...names, 'upstream-simulator'].map((name) => [name, '30s'])),
      postgres: '10m',
      nats: '10m',
    });
  });

  it('bring a changed nats.conf in by `up`, which looks at definitions alone', () => {
    const digest = createHash('sha256').update(textOf('deploy/nats/nats.conf')).digest('hex');
    expect(services['nats']?.labels).toEqual({ 'switchboard.nats-conf': digest });
  });

  it('run the commands of tools/admin, on request alone, with what follows `run admin` as their arguments', () => {
    const { profiles, networks, entrypoint, command, environment = {} } = services['admin'] ?? {};
    expect({ profiles, networks, command }).toEqual({ profiles: ['admin'], networks: ['inside'], command: ['help'] });
    expect(entrypoint).toEqual(['node', '--enable-source-maps', 'tools/admin/dist/main.js']);
    const config = textOf('tools/admin/src/admin.config.ts');
    for (const key of Object.keys(environment)) expect(config).toContain(`environment['${key}']`);
    expect(environment).toMatchObject({
      DATABASE_URL: services['seed']?.environment?.['DATABASE_URL'],
      CREDENTIALS_KEY: expect.any(String),
      CREDENTIALS_KEY_PREVIOUS: null,
      ADMIN_OPERATOR: null,
    });
  });

  it('run every program from files that are in the image', () => {
    const copies = textOf('deploy/docker/Dockerfile').matchAll(/^COPY --from=build \/app\/(\S+) \.\/\1$/gm);
    const folders = [...copies].map(([, folder = '']) => folder);
    const files = Object.values(services).flatMap((one) => (one.build === undefined ? [] : (programOf(one)[0] ?? '')));
    expect(files.length).toBeGreaterThan(names.length);
    expect(files.filter((file) => !folders.some((folder) => file.startsWith(`${folder}/`)))).toEqual([]);
  });
});
