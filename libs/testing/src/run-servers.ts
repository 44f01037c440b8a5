import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LentServers } from './lent-servers.js';
import { endStarted, type StartShared, type Started } from './start-shared.js';
import { readTestingConfig } from './testing.config.js';

/** What is shared, by kind. */
export interface SharedKinds {
  /** Each worker has its own, which its files use one after the other. */
  readonly ofWorker: Readonly<Record<string, StartShared>>;
  /** One for all workers. */
  readonly ofRun: Readonly<Record<string, StartShared>>;
  /** Lent to one file at a time. With how many files will ask for it, each once, where that is known. */
  readonly lent: Readonly<Record<string, { readonly start: StartShared; readonly files?: number | undefined }>>;
}

/**
 * What files share for a test run: each kind is started when the first of them asks for it, and ends with the run, or once
 * no later file can need it. The process that holds it is Jest's own: when that is killed, the watchdog ends the servers.
 */
export class RunServers {
  private readonly started = new Map<string, Started>();
  private readonly lent: ReadonlyMap<string, LentServers>;

  private constructor(
    private readonly kinds: SharedKinds,
    private readonly server: Server,
  ) {
    this.lent = new Map(
      Object.entries(kinds.lent).map(([kind, { start, files }]) => [kind, new LentServers(start, files)]),
    );
  }

  static async start(kinds: SharedKinds): Promise<RunServers> {
    const server = createServer();
    const made = new RunServers(kinds, server);
    server.on('request', (request, response) => {
      // A file asks seldom: a connection kept for it would time out in the very moment in which it asks again.
      response.setHeader('connection', 'close');
      made.access(request.url ?? '').then(
        (access) => response.end(JSON.stringify(access)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends everything that was started. */
  async end(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    const lent = [...this.lent.values()].map((one) => one.end());
    await Promise.all([...lent, ...[...this.started.values()].map(endStarted)]);
    this.started.clear();
  }

  /** @param path `/<kind>/<worker>/<file>`, of which the file is what no other has */
  private async access(path: string): Promise<unknown> {
    const [, kind = '', worker = '', file = ''] = path.split('/');
    const { ofRun, ofWorker } = this.kinds;
    // For what is the run's a start asks too, which is no file of a worker.
    if (!(kind in ofRun)) for (const lent of this.lent.values()) lent.takeBack(worker, file);
    const lent = this.lent.get(kind);
    if (lent) return lent.lend(worker, file);
    const start = ofRun[kind] ?? ofWorker[kind];
    if (!start) throw new Error(`the run has no ${kind}`);
    const key = kind in ofRun ? kind : `${kind} ${worker}`;
    const started = this.started.get(key) ?? start();
    this.started.set(key, started);
    return (await started).access();
  }
}

/** Each file of tests has modules of its own, and so this. */
const file = randomUUID();

/**
 * What the files of this worker or of the run share of a kind, or what is lent to this file of it.
 *
 * @throws Error outside of a test run, or when it could not be started
 */
export async function sharedOfRun<Access>(kind: string): Promise<Access> {
  const { runServersUrl, worker } = readTestingConfig();
  if (runServersUrl === undefined) throw new Error('Jest was started without the global set-up of jest.config.mjs');
  const answer = await fetch(`${runServersUrl}/${kind}/${worker}/${file}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${kind}: ${text}`);
  return JSON.parse(text) as Access;
}
