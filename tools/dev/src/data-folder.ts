import {
  copyPostgresData,
  endNatsOf,
  endPostgresOf,
  endProcess,
  identifyProcess,
  isRunning,
  removePostgresData,
  type ProcessIdentity,
} from '@switchboard/embedded-servers';
import { chmod, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockOwner, parseIdentity, takeLock } from './process-lock.js';

/** A process that a supervisor has started, as it is found again after the supervisor was killed. */
export interface RunEntry extends ProcessIdentity {
  readonly name: string;
}

/** The folder that holds everything of one copy: data, logs, secrets, run files. One supervisor at a time owns it. */
export class DataFolder {
  constructor(readonly path: string) {}

  get logs(): string {
    return join(this.path, 'logs');
  }
  get postgres(): string {
    return join(this.path, 'postgres');
  }
  get nats(): string {
    return join(this.path, 'nats');
  }
  get simulator(): string {
    return join(this.path, 'simulator');
  }

  /** The port of the simulator, kept from one start to the next. */
  get simulatorPortFile(): string {
    return join(this.path, 'simulator.port');
  }
  /** What the processes of a service leave to those that follow. */
  stateOf(service: string): string {
    return join(this.path, 'services', service);
  }
  get devFile(): string {
    return join(this.path, 'dev.json');
  }
  get keysFile(): string {
    return join(this.path, 'demo-keys.json');
  }
  get secretsFile(): string {
    return join(this.path, 'secrets.json');
  }

  /**
   * Makes the folder and takes it for this process; ends what a killed supervisor left running on it.
   *
   * @throws Error in one line when another supervisor has it.
   */
  async acquire(): Promise<void> {
    await mkdir(this.logs, { recursive: true });
    const me = await identifyProcess(process.pid);
    if (me === undefined) throw new Error('This process cannot be identified.');
    const owner = await takeLock(this.lockFile, me);
    if (owner) {
      throw new Error(
        `Switchboard runs already on ${this.path} (pid ${owner.pid}): ` +
          '`npm run stop` ends it, SWITCHBOARD_DATA_DIR and PORT start another copy.',
      );
    }
    await this.endLeftovers();
  }

  /** Gives the folder back. Everything must have been stopped. */
  async release(): Promise<void> {
    for (const file of [this.devFile, this.runFile, this.lockFile]) await rm(file, { force: true });
  }

  /** The supervisor that has this folder now. */
  async findOwner(): Promise<ProcessIdentity | undefined> {
    return lockOwner(this.lockFile);
  }

  /** Ends what a killed supervisor left running. @returns how many processes. */
  async endLeftovers(): Promise<number> {
    // Servers with data are ended below, in their own careful way. A service is safe to kill at any moment.
    const programs = (await this.readRun()).filter(({ name }) => name !== 'postgres' && name !== 'nats');
    const ended = await Promise.all(
      programs.map(async (entry) => {
        if (!(await isRunning(entry))) return 0;
        await endProcess(entry, 'SIGTERM', 3_000);
        return 1;
      }),
    );
    let count = ended.filter((one) => one === 1).length;
    if (await endNatsOf(this.nats)) count += 1;
    if (await endPostgresOf(this.postgres)) count += 1;
    await rm(this.devFile, { force: true });
    return count;
  }

  /** Empties the folder but for logs. Nothing may run on it. */
  async reset(): Promise<void> {
    await removePostgresData(this.postgres);
    for (const path of [this.nats, this.simulator, this.keysFile, this.secretsFile]) {
      await rm(path, { recursive: true, force: true });
    }
  }

  /** Takes database, secrets and keys from the folder of a stack that was stopped. This one must be empty. */
  async copyDatabaseFrom(path: string): Promise<void> {
    const from = new DataFolder(path);
    await copyPostgresData(from.postgres, this.postgres);
    await copyFile(from.secretsFile, this.secretsFile);
    await copyFile(from.keysFile, this.keysFile);
  }

  /** Records who runs, so that a killed supervisor's children are found again. */
  async writeRun(children: readonly RunEntry[]): Promise<void> {
    await writePrivately(this.runFile, children);
  }

  /** What runs, or was running when its supervisor was killed. */
  async readRun(): Promise<RunEntry[]> {
    const parsed = await readJson(this.runFile);
    if (!Array.isArray(parsed)) return [];
    return parsed.flatMap((item: unknown) => {
      const identity = parseIdentity(item);
      const name = typeof item === 'object' && item !== null && 'name' in item ? String(item.name) : '';
      return identity === undefined ? [] : [{ ...identity, name }];
    });
  }

  private get lockFile(): string {
    return join(this.path, 'supervisor.lock');
  }
  private get runFile(): string {
    return join(this.path, 'run.json');
  }
}

/** Reads a JSON file; undefined when it is absent or not JSON. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Replaces a JSON file at once (a reader sees the old or the new one), readable by its owner alone. */
export async function writePrivately(path: string, value: unknown): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}
