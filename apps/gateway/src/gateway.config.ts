import {
  httpBase,
  integer,
  key256,
  listenHost,
  optionalKey256,
  readConfig,
  retentionDays,
  serviceConfigSchema,
  telemetryConfig,
  text,
  type ConfigKey,
  type ConfigOf,
  type ConfigSchema,
  type TelemetryConfig,
} from '@switchboard/platform';
import { parseTrustedProxies, type TrustedProxies } from './network/trusted-proxies.policy.js';

/** Every key of the gateway's configuration. */
const gatewayConfigSchema = {
  ...serviceConfigSchema,
  GATEWAY_HOST: listenHost({ description: 'address to listen at', default: '127.0.0.1' }),
  GATEWAY_PORT: integer({ description: 'port to listen at; 0 = any', default: 3_000, min: 0, max: 65_535 }),
  LISTEN_FDS: integer({
    description: '1: the socket to accept on is handed over as descriptor 3, and host and port are its own (systemd)',
    default: 0,
    min: 0,
    max: 1,
  }),
  PUBLIC_BASE_URL: httpBase({
    description: "the API's canonical base, without /v1; empty: redirects stay on the host they came to",
    default: '',
  }),
  TRUST_PROXY: trustProxy({
    description:
      'whose X-Forwarded-For is believed: how many proxies stand in front, or their addresses and CIDRs by comma; empty: none',
    default: false,
  }),
  GATEWAY_HEADERS_TIMEOUT_MS: integer({
    description: 'how long the request line and the headers may take',
    unit: 'ms',
    default: 10_000,
    min: 100,
    max: 60_000,
  }),
  GATEWAY_REQUEST_TIMEOUT_MS: integer({
    description: 'how long all of a request may take, its body included',
    unit: 'ms',
    default: 30_000,
    min: 100,
    max: 300_000,
  }),
  GATEWAY_AUDIT_RETENTION_DAYS: retentionDays({
    description: 'for which an entry of the audit log is kept; 0: for ever',
    min: 90,
  }),
  CLOUD_APP_SECRET: text({ description: "the provider's app secret, which signs its callbacks", secret: true }),
  CLOUD_VERIFY_TOKEN: text({ description: 'what the provider shows when it verifies the callback URL', secret: true }),
  SANDBOX_URL: sandboxUrl({
    description:
      'the control of the upstream simulator on this machine, set by the local run; empty: there is no sandbox',
    default: '',
  }),
  CREDENTIALS_KEY: key256({ description: '32 bytes in base 64: the master key of second factors and device cookies' }),
  CREDENTIALS_KEY_PREVIOUS: optionalKey256({ description: 'the master key before or after, while they are rotated' }),
} satisfies ConfigSchema;

/** Token of the `GatewayConfig`. */
export const GATEWAY_CONFIG = Symbol('GatewayConfig');

/** The gateway's configuration, read and frozen. */
export type GatewayConfig = ConfigOf<typeof gatewayConfigSchema>;

/** @throws Error that lists every problem at once */
export function gatewayConfig(env: Readonly<Record<string, string | undefined>> = process.env): GatewayConfig {
  return readConfig(gatewayConfigSchema, env);
}

/** The OpenTelemetry variables of the process. */
export function gatewayTelemetry(): TelemetryConfig {
  return telemetryConfig(process.env);
}

function sandboxUrl(options: Omit<ConfigKey<string>, 'parse'>): ConfigKey<string> {
  return {
    ...options,
    parse: (value) => {
      const url = URL.parse(value);
      const isHere = url?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname);
      if (!isHere || url.href !== `${url.origin}/`) throw new Error('must be the http URL of a port of this machine');
      return url.origin;
    },
  };
}

function trustProxy(options: Omit<ConfigKey<TrustedProxies>, 'parse'>): ConfigKey<TrustedProxies> {
  return { ...options, parse: parseTrustedProxies };
}
