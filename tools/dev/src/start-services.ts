import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findFreePorts } from '@switchboard/embedded-servers';
import type { DatabaseAccess } from './database.js';
import { parseOrganizations, type SeededOrganization, type SeededTemplate } from './dev-json.js';
import { urlWithin } from './listen-address.js';
import type { NatsAccess } from './nats-access.js';
import { launchService, runProgram, type ServiceRun } from './node-program.js';
import { programEnvironment, serviceEnvironment, simulatorEnvironment } from './service-environment.js';
import { findProgram, listServices, type Service, serviceEntry } from './services.js';
import { openPublicSocket, type PublicSocket } from './public-socket.js';
import type { StartContext } from './start-spec.js';

/** The simulator of this start, which keeps its addresses and accounts over its own restarts. */
export interface SimulatorHandle {
  /** Contract and control. */
  readonly url: string;
  /** The provider's contract alone, as the services see it. */
  readonly providerUrl: string;
  /** PEM file of the authority that certifies `providerUrl`; absent over http. */
  readonly authorityFile: string | undefined;
  /** All that it listens on; no webhook may lead there. */
  readonly ports: readonly number[];
  /** Sends callbacks there from now on. */
  setCallback(url: string): Promise<void>;
}

/** Starts the simulator; undefined while this checkout holds none. */
export async function startSimulator(context: StartContext): Promise<SimulatorHandle | undefined> {
  const { spec, stack, folder, common, progress } = context;
  const entry = findProgram(spec.root, 'simulator');
  if (entry === undefined) return undefined;
  let callbackUrl = spec.port === 0 ? undefined : callbackOf(urlWithin(spec.host, spec.port));
  let run: ServiceRun | undefined;
  const firstPort = spec.simulator.port ?? (await keptPort(folder.simulatorPortFile));
  const { readDelayMs } = spec.simulator;
  await progress.step('upstream simulator', () =>
    stack.add('server', 'simulator', async (signal) => {
      const ports = {
        port: run === undefined ? firstPort : portOf(run.url),
        providerPort: portOf(addressOf(run, 'providerUrl')),
        tlsPort: portOf(addressOf(run, 'tlsUrl')),
      };
      const given = { dataDir: folder.simulator, ...ports, callbackUrl, readDelayMs };
      const environment = simulatorEnvironment(common, given);
      run = await launchService({ name: 'simulator', entry, environment, log: logOf(context, 'simulator') }, signal);
      return run;
    }),
  );
  const url = run?.url ?? '';
  await writeFile(folder.simulatorPortFile, `${portOf(url)}\n`);
  const isTls = common.passed['UPSTREAM_TLS'] === 'true';
  return {
    url,
    providerUrl: addressOf(run, isTls ? 'tlsUrl' : 'providerUrl') ?? url,
    authorityFile: isTls ? addressOf(run, 'authorityFile') : undefined,
    ports: [url, addressOf(run, 'providerUrl'), addressOf(run, 'tlsUrl')].map(portOf),
    async setCallback(gatewayUrl) {
      callbackUrl = callbackOf(gatewayUrl);
      await control(url, 'PUT', '/_sim/callback', { url: callbackUrl });
    },
  };
}

/** The simulator's port at the last start on the data folder; 0 when there was none, or something else has it now. */
async function keptPort(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return 0;
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(0));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}

/** Runs the seed; undefined while this checkout holds none. */
export async function seedOrganizations(
  context: StartContext,
  database: DatabaseAccess,
  simulator: SimulatorHandle | undefined,
): Promise<SeededOrganization[] | undefined> {
  const { spec, stack, folder, common, progress, secrets } = context;
  const entry = findProgram(spec.root, 'seed');
  if (entry === undefined) return undefined;
  const environment = {
    ...programEnvironment(common),
    DATABASE_URL: database.adminUrl,
    CREDENTIALS_KEY: secrets.key('credentials key'),
    KEYS_FILE: folder.keysFile,
    MORE_ORGANIZATIONS: String(spec.moreOrganizations),
    ...(simulator === undefined ? {} : { SIMULATOR_URL: simulator.url }),
  };
  const program = { name: 'seed', entry, environment, log: logOf(context, 'seed') };
  return progress.step('demonstration organizations', async () => {
    const organizations = parseOrganizations(await runProgram(program, stack.stopping.signal));
    // It holds the keys that the seed has printed, and nothing that anybody would miss.
    await rm(program.log, { force: true });
    return organizations;
  });
}

/** Waits until the templates of the organizations have come from the simulator, and adds them. */
export async function addTemplates(
  context: StartContext,
  database: DatabaseAccess,
  organizations: readonly SeededOrganization[],
): Promise<SeededOrganization[]> {
  const { spec, stack, folder, common, progress } = context;
  const entry = findProgram(spec.root, 'templates');
  if (entry === undefined || organizations.length === 0) return [...organizations];
  const environment = {
    ...programEnvironment(common),
    DATABASE_URL: database.adminUrl,
    KEYS_FILE: folder.keysFile,
  };
  const program = { name: 'templates-sync', entry, environment, log: logOf(context, 'templates-sync') };
  return progress.step('templates', async () => {
    const line = await runProgram(program, stack.stopping.signal);
    await rm(program.log, { force: true });
    const found = JSON.parse(line) as Readonly<Record<string, readonly SeededTemplate[]>>;
    return organizations.map((organization) => ({ ...organization, templates: found[organization.id] ?? [] }));
  });
}

/** Starts every process of every service side by side. */
export async function startServices(
  context: StartContext,
  access: { database: DatabaseAccess; nats: NatsAccess; simulator: SimulatorHandle | undefined },
): Promise<void> {
  const { spec, progress, stack } = context;
  const services = listServices(spec.root);
  if (services.length === 0) return;
  // All processes of the gateway accept on one socket, which stays while they are replaced.
  const socket = openPublicSocket(spec.host, spec.port);
  const replicasOf = ({ name }: Service): number => spec.replicas[name] ?? 1;
  const internalPorts = await findFreePorts(services.reduce((sum, service) => sum + replicasOf(service), 0));
  const ownPorts = [socket?.port ?? spec.port, ...(access.simulator?.ports ?? []), ...internalPorts].filter(Boolean);
  stack.stopping.signal.addEventListener('abort', () => socket?.close(), { once: true });
  const waiting = [...internalPorts];
  await progress.step(`services: ${services.map(({ name }) => name).join(', ')}`, () =>
    Promise.all(
      services.flatMap((service) =>
        Array.from({ length: replicasOf(service) }, (_, index) =>
          startOne(context, service, index, {
            ...access,
            socket: service.isPublic ? socket : undefined,
            internalPort: waiting.shift() ?? 0,
            ownPorts,
          }),
        ),
      ),
    ),
  );
  const gateway = stack.processes.find(({ name }) => name === 'gateway')?.url;
  if (spec.port === 0 && gateway !== undefined) {
    await access.simulator?.setCallback(urlWithin(spec.host, portOf(gateway)));
  }
}

async function startOne(
  context: StartContext,
  service: Service,
  index: number,
  {
    database,
    nats,
    simulator,
    socket,
    internalPort: firstInternalPort,
    ownPorts,
  }: Parameters<typeof startServices>[1] & {
    readonly socket: PublicSocket | undefined;
    readonly internalPort: number;
    readonly ownPorts: readonly number[];
  },
): Promise<void> {
  const { spec, stack, common, folder } = context;
  const name = index === 0 ? service.name : `${service.name}-${index + 1}`;
  // The internal port is kept, so that who knew this process finds the next one there.
  let internalPort = firstInternalPort;
  // Without a shared socket the first gateway has the public port, and keeps the one that the kernel chose.
  let port = socket?.port ?? (index === 0 && service.isPublic ? spec.port : 0);
  await stack.add('service', name, async (signal) => {
    const usual = serviceEnvironment(common, {
      name: service.name,
      databaseUrl: database.services.get(service.name)?.runtimeUrl ?? database.adminUrl,
      nats: nats.credentials(service.name),
      cloudBaseUrl: simulator?.providerUrl,
      cloudAuthorityFile: simulator?.authorityFile,
      sandboxUrl: simulator?.url,
      listen: { host: spec.host, port, isHandedOver: socket !== undefined },
      internalPort,
      stateFolder: folder.stateOf(service.name),
      ownPorts,
    });
    const entry = serviceEntry(spec.root, service.name);
    const environment = spec.environmentOf(name, usual);
    const program = { name, entry, environment, log: logOf(context, name), handedOverFd: socket?.fd };
    const run = await launchService(program, signal).catch((error: unknown) => {
      // Somebody else may have taken the port meanwhile.
      internalPort = 0;
      throw error;
    });
    if (service.isPublic) port = portOf(run.url);
    const internalUrl = run.ready.get('internalUrl');
    internalPort = portOf(typeof internalUrl === 'string' ? internalUrl : run.url);
    return run;
  });
}

function logOf({ folder }: StartContext, name: string): string {
  return join(folder.logs, `${name}.log`);
}

function callbackOf(gatewayUrl: string): string {
  return `${gatewayUrl}/upstream/cloud/callbacks`;
}

function portOf(url: string | undefined): number {
  return url === undefined || url === '' ? 0 : Number(new URL(url).port);
}

function addressOf(run: ServiceRun | undefined, name: string): string | undefined {
  const address = run?.ready.get(name);
  return typeof address === 'string' ? address : undefined;
}

async function control(base: string, method: 'GET' | 'PUT', path: string, body?: object): Promise<unknown> {
  const answer = await fetch(new URL(path, base), {
    method,
    signal: AbortSignal.timeout(5_000),
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`The simulator answered ${answer.status} to ${method} ${path}.`);
  return answer.json();
}
