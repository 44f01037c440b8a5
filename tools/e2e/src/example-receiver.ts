import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { baseEnvironment } from '@switchboard/dev';
import { findPython, type Python } from '@switchboard/embedded-servers';
import { eventually } from '@switchboard/testing/eventually';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = join(root, 'examples', 'webhook-receiver');

/** What a receiver prints of a request that it has verified. */
export interface Received {
  readonly isRepeated: boolean;
  readonly body: {
    readonly event: string;
    readonly organizationId: string;
    readonly data: { readonly id: string } & Readonly<Record<string, unknown>>;
  };
}

/** What the examples are written in. */
export const languages = ['TypeScript', 'Python'] as const;

/** One of the example receivers, as a customer runs it. */
export class ExampleReceiver {
  readonly received: Received[] = [];

  private constructor(private readonly child: ChildProcess) {}

  /** @throws Error when it does not start, or there is no Python to be had */
  static async start(language: (typeof languages)[number], port: number, secret: string): Promise<ExampleReceiver> {
    const { executable, environment, file } = await programOf(language);
    const child = spawn(executable, [join(folder, file)], {
      env: { ...baseEnvironment(), ...environment, PORT: String(port), WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const receiver = new ExampleReceiver(child);
    const lines = createInterface({ input: child.stdout });
    const first = once(lines, 'line');
    await Promise.race([
      first,
      once(child, 'exit').then(() => Promise.reject(new Error(`the receiver of ${language} ended`))),
    ]);
    lines.on('line', (line) => receiver.received.push(JSON.parse(line) as Received));
    return receiver;
  }

  /** What it has received of an event, once there is one that fits. */
  async of(event: string, fits: (received: Received) => boolean = () => true): Promise<Received> {
    const found = (): Received | undefined => this.received.find((one) => one.body.event === event && fits(one));
    return eventually(async () => found(), { deadlineMs: 60_000 });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exit;
  }
}

async function programOf(language: (typeof languages)[number]): Promise<Python & { readonly file: string }> {
  if (language === 'TypeScript') return { executable: process.execPath, environment: {}, file: 'receiver.ts' };
  return { ...(await findPython({ cacheDir: join(root, '.cache') })), file: 'receiver.py' };
}
