import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readTestingConfig } from './testing.config.js';

/** Starts what files of tests share. @returns what one of them needs to use it, as JSON, and how it ends */
export type StartShared = () => Promise<{ access(): Promise<unknown>; end(): Promise<void> }>;

/** What is shared, by kind. */
export interface SharedKinds {
  /** Each worker has its own, which its files use one after the other. */
  readonly ofWorker: Readonly<Record<string, StartShared>>;
  /** One for all workers. */
  readonly ofRun: Readonly<Record<string, StartShared>>;
  /**
   * How many files ask for a kind of the workers, each once, where that is known: when all of them have, each worker's ends
   * as soon as the worker asks for another kind of its own, which a later file does.
   */
  readonly files?: Readonly<Record<string, number>>;
}

/**
 * What files share for a test run: each kind is started when the first of them asks for it, and ends with the run, or with
 * the last file that uses it. The
 * process that holds it is Jest's own: when that is killed, the watchdog ends the servers.
 */
export class RunServers {
  private readonly started = new Map<string, ReturnType<StartShared>>();
  /** Files that have not asked yet, by kind. */
  private readonly waiting: Map<string, number>;
  /** What each worker asked for last. */
  private readonly lastAsked = new Map<string, string>();
  private readonly ends: Promise<void>[] = [];

  private constructor(
    private readonly kinds: SharedKinds,
    private readonly server: Server,
  ) {
    this.waiting = new Map(Object.entries(kinds.files ?? {}));
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
    for (const key of this.started.keys()) this.endOne(key);
    await Promise.all(this.ends);
  }

  /** @param path `/<kind>/<worker>` */
  private async access(path: string): Promise<unknown> {
    const [, kind = '', worker = ''] = path.split('/');
    const { ofRun, ofWorker } = this.kinds;
    const start = ofRun[kind] ?? ofWorker[kind];
    if (!start) throw new Error(`the run has no ${kind}`);
    const key = kind in ofRun ? kind : `${kind} ${worker}`;
    const started = this.started.get(key) ?? start();
    this.started.set(key, started);
    if (kind in ofWorker) this.endUnused(kind, worker);
    return (await started).access();
  }

  private endUnused(asked: string, worker: string): void {
    this.lastAsked.set(worker, asked);
    this.waiting.set(asked, (this.waiting.get(asked) ?? Infinity) - 1);
    for (const [kind, files] of this.waiting) {
      if (files > 0) continue;
      for (const [each, last] of this.lastAsked) if (last !== kind) this.endOne(`${kind} ${each}`);
    }
  }

  /** One that could not be started has nothing to end. */
  private endOne(key: string): void {
    const started = this.started.get(key);
    this.started.delete(key);
    if (started)
      this.ends.push(
        started.then(
          (one) => one.end(),
          () => undefined,
        ),
      );
  }
}

/**
 * What this worker's files share of a kind, or those of all workers.
 *
 * @throws Error outside of a test run, or when it could not be started
 */
export async function sharedOfRun<Access>(kind: string): Promise<Access> {
  const { runServersUrl, worker } = readTestingConfig();
  if (runServersUrl === undefined) throw new Error('Jest was started without the global set-up of jest.config.mjs');
  const answer = await fetch(`${runServersUrl}/${kind}/${worker}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${kind}: ${text}`);
  return JSON.parse(text) as Access;
}
