import { urlWithin } from './listen-address.js';
import type { SupervisedProcess } from './supervised-process.js';

/** A demonstration organization, as the seed made it; the seed alone knows which sections exist. */
export interface SeededOrganization {
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  /** People who can sign in; their first passwords. */
  readonly users?: readonly { readonly role: string; readonly email: string; readonly password: string }[];
  readonly channels?: readonly { readonly id: string; readonly phone: string; readonly isDefault: boolean }[];
  /** As they were when everything had started, in the order of the upstream's list. */
  readonly templates?: readonly SeededTemplate[];
  readonly [section: string]: unknown;
}

/** A template of a demonstration organization; `variables` is how many values a send must give. */
export interface SeededTemplate {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: string;
  readonly parameterFormat: string;
  readonly variables: number;
}

/** A process of dev.json. Only services have addresses of health and metrics. */
export interface DevProcess {
  readonly name: string;
  readonly pid: number;
  readonly url?: string;
  readonly health?: string;
  /** On the process's internal server: the gateway's is not the one that callers reach. */
  readonly metrics?: string;
}

/** The file `dev.json`: what runs, and how to reach and use it. What does not exist yet is absent. */
export interface DevJson {
  readonly baseUrl?: string;
  readonly legacyBaseUrl?: string;
  /** The console, for people. */
  readonly consoleUrl?: string;
  /** The reference of the API, to read and to try out. */
  readonly docsUrl?: string;
  readonly simulatorUrl?: string;
  /** With the administrator's credentials, as `natsUrl`: the file is 0600. */
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly organizations?: readonly SeededOrganization[];
  readonly processes: readonly DevProcess[];
}

/** A service's entry: where it answers, and where its health and its metrics are. */
export function describeService({
  name,
  pid,
  url,
  internalUrl = url,
}: Pick<SupervisedProcess, 'name' | 'pid' | 'url' | 'internalUrl'>): DevProcess {
  if (url === undefined || internalUrl === undefined) return { name, pid };
  return {
    name,
    pid,
    url: reachable(url),
    health: `${reachable(url)}/health/ready`,
    metrics: `${reachable(internalUrl)}/metrics`,
  };
}

function reachable(url: string): string {
  const { hostname, port } = new URL(url);
  return urlWithin(hostname, port);
}

/** The entry of anything else that runs. */
export function describeOther({ name, pid, url }: SupervisedProcess): DevProcess {
  return url === undefined ? { name, pid } : { name, pid, url };
}

/** Reads what the seed printed. @throws Error when it is no list of organizations. */
export function parseOrganizations(line: string): SeededOrganization[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    parsed = undefined;
  }
  if (!Array.isArray(parsed) || !parsed.every(isOrganization)) {
    throw new Error('The seed did not print the list of organizations on its last line.');
  }
  return parsed;
}

function isOrganization(value: unknown): value is SeededOrganization {
  return typeof value === 'object' && value !== null && 'id' in value && 'name' in value && 'apiKey' in value;
}
