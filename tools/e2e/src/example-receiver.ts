import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { baseEnvironment } from '@switchboard/dev';
import { eventually } from '@switchboard/testing/eventually';

const folder = join(import.meta.dirname, '..', '..', '..', 'examples', 'webhook-receiver');

/** What a receiver prints of a request that it has verified. */
export interface Received {
  readonly isRepeated: boolean;
  readonly body: {
    readonly event: string;
    readonly organizationId: string;
    readonly data: { readonly id: string } & Readonly<Record<string, unknown>>;
  };
}

/** Which of the receivers can run here: npm test needs no Python, and says so where there is none. */
export function runnableLanguages(): readonly ('node' | 'python3')[] {
  if (spawnSync('python3', ['--version']).status === 0) return ['node', 'python3'];
  process.stdout.write('There is no python3: examples/webhook-receiver/receiver.py is not run.\n');
  return ['node'];
}

/** One of the example receivers, as a customer runs it. */
export class ExampleReceiver {
  readonly received: Received[] = [];

  private constructor(private readonly child: ChildProcess) {}

  /** @param language `node` or `python3`. @throws Error when it does not start */
  static async start(language: 'node' | 'python3', port: number, secret: string): Promise<ExampleReceiver> {
    const [program, file] = language === 'node' ? [process.execPath, 'receiver.ts'] : ['python3', 'receiver.py'];
    const child = spawn(program, [join(folder, file)], {
      env: { ...baseEnvironment(), PORT: String(port), WEBHOOK_SECRET: secret },
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
