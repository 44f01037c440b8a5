import { baseEnvironment } from './dev.config.js';
import { shownUrl } from './listen-address.js';
import type { Secrets } from './secrets.js';

/** The settings that every child of one start shares. */
export interface CommonEnvironment {
  readonly secrets: Secrets;
  /** Where Node keeps compiled code: it more than halves the time of a start. */
  readonly compileCache: string;
  /** Documented keys of the user's environment. */
  readonly passed: Readonly<Record<string, string>>;
}

/** The environment of any program of ours. */
export function programEnvironment(common: CommonEnvironment): Record<string, string> {
  return { ...baseEnvironment(), NODE_COMPILE_CACHE: common.compileCache, ...common.passed };
}

/** The environment of one process of a service; a service gets only the secrets that it uses. */
export function serviceEnvironment(
  common: CommonEnvironment,
  service: {
    readonly name: string;
    readonly databaseUrl: string;
    readonly nats: Readonly<Record<string, string>>;
    readonly cloudBaseUrl: string | undefined;
    /** PEM file of the authority that certifies it; undefined over http. */
    readonly cloudAuthorityFile?: string | undefined;
    /** The gateway's address; absent for a service without outside callers. */
    readonly listen?: { readonly host: string; readonly port: number; readonly isHandedOver: boolean };
    /** Of the internal HTTP server: 0, or the port that the process had before. */
    readonly internalPort: number;
    /** Control of the simulator, for the sandbox; absent where it is not ours. */
    readonly sandboxUrl?: string | undefined;
    /** What the processes of the service leave to those that follow. */
    readonly stateFolder: string;
    /** Ports of this machine that are ours: no webhook may lead to them. */
    readonly ownPorts?: readonly number[];
  },
): Record<string, string> {
  const { secrets } = common;
  const own: Record<string, Record<string, string>> = {
    gateway: {
      GATEWAY_HOST: service.listen?.host ?? '127.0.0.1',
      GATEWAY_PORT: String(service.listen?.port ?? 0),
      ...(service.listen?.isHandedOver === true ? { LISTEN_FDS: '1' } : {}),
      ...publicBaseUrl(common, service.listen),
      ...upstreamSecrets(secrets, 'CLOUD'),
      ...(service.sandboxUrl === undefined ? {} : { SANDBOX_URL: service.sandboxUrl }),
      ...masterKeys(secrets),
    },
    messaging: {
      ...masterKeys(secrets),
      ...(service.cloudBaseUrl === undefined ? {} : { CLOUD_BASE_URL: service.cloudBaseUrl }),
      DISPATCH_JOURNAL_DIR: common.passed['DISPATCH_JOURNAL_DIR'] ?? service.stateFolder,
      ...(service.cloudAuthorityFile === undefined ? {} : { CLOUD_CA_FILE: service.cloudAuthorityFile }),
    },
    contacts: masterKeys(secrets),
    webhooks: {
      ...masterKeys(secrets),
      WEBHOOKS_ALLOW_PRIVATE: common.passed['WEBHOOKS_ALLOW_PRIVATE'] ?? 'true',
      WEBHOOKS_REFUSED_HOSTS: [
        ...(common.passed['WEBHOOKS_REFUSED_HOSTS']?.split(',') ?? []),
        ...(service.ownPorts ?? []).map((port) => `localhost:${port}`),
      ].join(','),
    },
  };
  return {
    ...programEnvironment(common),
    SERVICE_HTTP_HOST: '127.0.0.1',
    SERVICE_HTTP_PORT: String(service.internalPort),
    DATABASE_URL: service.databaseUrl,
    ...service.nats,
    ...own[service.name],
  };
}

/** Of what is stored sealed. A local run keeps one master key; a test of a rotation gives its processes others. */
function masterKeys(secrets: Secrets): Record<string, string> {
  return { CREDENTIALS_KEY: secrets.key('credentials key'), CREDENTIALS_KEY_PREVIOUS: '' };
}

/** Where the earlier base redirects to: the address that the summary names, unless the user named one. */
function publicBaseUrl(
  common: CommonEnvironment,
  listen: { readonly host: string; readonly port: number } | undefined,
): Record<string, string> {
  if (!listen?.port || common.passed['PUBLIC_BASE_URL'] !== undefined) return {};
  return { PUBLIC_BASE_URL: shownUrl(listen.host, listen.port) };
}

/** The environment of the simulator; ports and the callback's address are those it had before, if any. */
export function simulatorEnvironment(
  common: CommonEnvironment,
  spec: {
    readonly dataDir: string;
    readonly port: number;
    readonly providerPort: number;
    readonly tlsPort: number;
    readonly callbackUrl: string | undefined;
    readonly readDelayMs?: number | undefined;
  },
): Record<string, string> {
  return {
    ...programEnvironment(common),
    SIMULATOR_PORT: String(spec.port),
    SIMULATOR_PROVIDER_PORT: String(spec.providerPort),
    SIMULATOR_TLS_PORT: String(spec.tlsPort),
    SIMULATOR_DATA_DIR: spec.dataDir,
    ...upstreamSecrets(common.secrets, 'SIMULATOR'),
    ...(spec.readDelayMs === undefined ? {} : { SIMULATOR_READ_DELAY_MS: String(spec.readDelayMs) }),
    ...(spec.callbackUrl === undefined ? {} : { SIMULATOR_CALLBACK_URL: spec.callbackUrl }),
  };
}

/** What the upstream and the gateway share: the provider signs with the one and answers a subscription with the other. */
function upstreamSecrets(secrets: Secrets, prefix: 'CLOUD' | 'SIMULATOR'): Record<string, string> {
  return {
    [`${prefix}_APP_SECRET`]: secrets.password('upstream app secret'),
    [`${prefix}_VERIFY_TOKEN`]: secrets.password('upstream verify token'),
  };
}
