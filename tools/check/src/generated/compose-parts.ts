import { createHash } from 'node:crypto';
import { serviceRoles } from '@switchboard/postgres/service-roles';
import type { ServiceTopology } from '@switchboard/contracts/topology';

/** The ports inside of the containers; only the gateway's is published. */
const PUBLIC_PORT = 3000;
const INTERNAL_PORT = 3001;

/** Keys that any service may get, apart from those of OpenTelemetry. */
const optionalKeys = ['DATABASE_POOL_MAX'];

/** What is on the network inside as well. */
const otherHosts = ['postgres', 'nats', 'upstream-simulator', 'otel-collector'];
/** The key of a service that calls URLs of customers: hosts that are refused, whatever port they name. */
const REFUSED_HOSTS = 'WEBHOOKS_REFUSED_HOSTS';

type Services = Readonly<Record<string, ServiceTopology>>;

/** NATS as docker-compose.yml runs it. */
export interface ComposedNats {
  /** The provisioner included. */
  readonly users: readonly string[];
  /** The text of deploy/nats/nats.conf. */
  readonly natsConf: string;
}

/** The parts of docker-compose.yml that follow from the registration of the services. */
export function composeParts(services: Services, { users, natsConf }: ComposedNats): Record<string, string[]> {
  const names = Object.keys(services);
  return {
    'nats-passwords': users.map((user) => `${natsPassword(user)}: '"${required(natsPassword(user))}"'`),
    'nats-conf': [`switchboard.nats-conf: ${createHash('sha256').update(natsConf).digest('hex')}`],
    'database-passwords': names.flatMap(databasePasswords).map((key) => `${key}: ${required(key)}`),
    migrations: blocks(names.map(migrationStep)),
    volumes: Object.entries(services).flatMap(([name, { settings }]) =>
      settings?.folder === undefined ? [] : [`${name}:`],
    ),
    services: blocks(Object.entries(services).map(([name, service]) => serviceBlock(name, service, names))),
  };
}

/** The keys of `.env` that hold the passwords of a service's two roles. */
export function databasePasswords(service: string): [runtime: string, migrator: string] {
  return [`${service.toUpperCase()}_DATABASE_PASSWORD`, `${service.toUpperCase()}_MIGRATOR_PASSWORD`];
}

/** The key of `.env` that holds the password of a user of NATS. */
export function natsPassword(user: string): string {
  return `NATS_${user.toUpperCase()}_PASSWORD`;
}

/** `deploy/prometheus/prometheus.yml`: one job for each service. */
export function scrapeJobs(services: Services): string[] {
  return Object.keys(services).flatMap((name) => [
    `- job_name: ${name}`,
    `  dns_sd_configs: [{ names: [${name}], type: A, port: ${INTERNAL_PORT} }]`,
  ]);
}

/** `deploy/prometheus/alerts.yml`: the rule that names every service of which no process is found. */
export function servicesGone(services: Services): string[] {
  const absent = Object.keys(services).map((name) => `absent(up{job="${name}"})`);
  return [
    '- alert: ServiceGone',
    '  expr: >-',
    ...absent.map((one, index) => `    ${index === 0 ? '' : 'or '}${one}`),
    '  for: 1m',
    '  labels: { severity: page }',
    "  annotations: { summary: 'No process of {{ $labels.job }} is found' }",
  ];
}

function migrationStep(name: string): string[] {
  const { runtime, migrator } = serviceRoles(name);
  return [
    `migrate-${name}:`,
    '  <<: *step',
    `  command: [apps/${name}/dist/migrate.js]`,
    '  environment:',
    `    MIGRATOR_DATABASE_URL: ${databaseUrl(migrator, databasePasswords(name)[1])}`,
    `    SERVICE_DATABASE_ROLE: ${runtime}`,
    '  depends_on:',
    '    database: { condition: service_completed_successfully }',
  ];
}

function serviceBlock(name: string, { outside, settings }: ServiceTopology, names: readonly string[]): string[] {
  const isPublic = outside === 'listens';
  const optional = [...(settings?.optional ?? []), ...optionalKeys];
  return [
    `${name}:`,
    '  <<: *service',
    `  command: [apps/${name}/dist/main.js]`,
    '  environment:',
    '    <<: *telemetry',
    ...(isPublic ? ['    GATEWAY_HOST: 0.0.0.0', `    GATEWAY_PORT: '${PUBLIC_PORT}'`] : []),
    '    # Health and metrics: for the health check and for Prometheus on the network inside; not published.',
    '    SERVICE_HTTP_HOST: 0.0.0.0',
    `    SERVICE_HTTP_PORT: '${INTERNAL_PORT}'`,
    `    DATABASE_URL: ${databaseUrl(serviceRoles(name).runtime, databasePasswords(name)[0])}`,
    '    NATS_URL: nats://nats:4222',
    `    NATS_USER: ${name}`,
    `    NATS_PASSWORD: ${required(natsPassword(name))}`,
    ...(settings?.required ?? []).map((key) => `    ${key}: ${required(key)}`),
    ...(settings?.folder === undefined ? [] : [`    ${settings.folder}: /data`]),
    '    # A key without a value is handed on from .env, and is not set when it is not there.',
    ...optional.filter((key) => key !== REFUSED_HOSTS).map((key) => `    ${key}:`),
    ...(optional.includes(REFUSED_HOSTS) ? refusedHosts(names) : []),
    ...(isPublic ? [`  ports: ['\${GATEWAY_HOST:-127.0.0.1}:\${PORT:-3000}:${PUBLIC_PORT}']`] : []),
    ...(settings?.folder === undefined ? [] : [`  volumes: [${name}:/data]`]),
    ...(outside === 'calls' ? ['  # It calls hosts outside of the platform.'] : []),
    ...(outside === undefined ? [] : ['  networks: [inside, outside]']),
    '  healthcheck:',
    `    test: [CMD, node, --eval, *probe, 'http://127.0.0.1:${isPublic ? PUBLIC_PORT : INTERNAL_PORT}/health/serving']`,
    '    <<: *health',
    '  depends_on:',
    '    <<: *servers',
    `    migrate-${name}: { condition: service_completed_successfully }`,
  ];
}

function refusedHosts(names: readonly string[]): string[] {
  const hosts = [...otherHosts, ...names].join(',');
  return [
    '    # All of the network inside, on every port; those of .env in addition.',
    `    ${REFUSED_HOSTS}: ${hosts},\${${REFUSED_HOSTS}:-}`,
  ];
}

function databaseUrl(role: string, password: string): string {
  return `postgres://${role}:${required(password)}@postgres:5432/switchboard`;
}

function required(key: string): string {
  return `\${${key}:?see .env.example}`;
}

/** With an empty line between them. */
function blocks(all: readonly (readonly string[])[]): string[] {
  return all.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}
