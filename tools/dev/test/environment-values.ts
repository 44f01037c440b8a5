import { join } from 'node:path';

/** Variables by name. */
export type Environment = Record<string, string>;

/** What takes no plain number. */
const values: Environment = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces',
  DATABASE_URL: 'postgres://localhost/switchboard',
  NATS_URL: 'nats://localhost:4222',
  CREDENTIALS_KEY: Buffer.alloc(32).toString('base64'),
  CREDENTIALS_KEY_PREVIOUS: Buffer.alloc(32, 1).toString('base64'),
  TRUST_PROXY: '1',
  WEBHOOKS_ALLOW_PRIVATE: 'false',
  WEBHOOKS_CA_FILE: join(import.meta.dirname, 'authority.pem'),
  WEBHOOKS_TIME_SCALE: '1',
  TEMPLATES_SYNC_INTERVAL_SECONDS: '300',
  TEMPLATES_JOB_RETENTION_DAYS: '400',
  GATEWAY_AUDIT_RETENTION_DAYS: '400',
  MESSAGING_RETENTION_DAYS: '400',
  WEBHOOKS_RETENTION_DAYS: '30',
  CLOUD_BASE_URL: 'https://provider.example',
  CLOUD_CA_FILE: import.meta.filename,
  CLOUD_REQUEST_DEADLINE_MS: '30000',
  CLOUD_CONNECTIONS_MAX: '256',
  DATABASE_POOL_MAX: '8',
  PUBLIC_BASE_URL: 'https://api.example.org',
  PORT: '3000',
  SIMULATOR_PORT: '4010',
  SIMULATOR_READ_DELAY_MS: '0',
  SWITCHBOARD_REPLICAS: '',
};

/** A value for each of these variables that its program takes. */
export function valuesOf(keys: readonly string[]): Environment {
  return { ...Object.fromEntries(keys.map((key) => [key, '10000'])), ...values };
}
