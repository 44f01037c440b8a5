import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';

/** A floor, running: a hand-tuned process that does the same durable work. */
export interface Floor {
  readonly url: string;
  stop(): Promise<void>;
}

/** Makes a database on the server of a stack. @returns its URL, of the same role */
export async function createDatabase(superuserUrl: string, name: string): Promise<URL> {
  await withClient(superuserUrl, async (client) => void (await client.query(`CREATE DATABASE ${name}`)));
  const url = new URL(superuserUrl);
  url.pathname = `/${name}`;
  return url;
}

/** Runs some work over a connection of its own. */
export async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Starts the program of a floor, which prints its address once it listens. */
export async function startFloorProcess(
  program: string,
  environment: Readonly<Record<string, string>>,
): Promise<Floor> {
  const child = spawn(process.execPath, [program], {
    // It ends with its standard input, so that nothing is left when the bench is interrupted.
    stdio: ['pipe', 'pipe', 'inherit'],
    env: environment,
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: line.toString().trim(),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
