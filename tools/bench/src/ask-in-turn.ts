import { Pool } from 'undici';

/** One request that is asked again and again. */
export interface Question {
  readonly name: string;
  readonly path: string;
}

/** The times of one question, through everything: HTTP, admission, rpc, database. */
export interface QuestionTimes {
  readonly name: string;
  /** How many items its page had, or points its report. */
  readonly items: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Whom to ask, and how often. */
export interface AskOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly rounds: number;
  readonly onLine: (line: string) => void;
}

/**
 * Asks all questions in turn, one at a time, round by round: what else happens on the machine meets all of them alike.
 *
 * @throws Error when one is answered otherwise than by 200
 */
export async function askInTurn(all: readonly Question[], options: AskOptions): Promise<QuestionTimes[]> {
  const pool = new Pool(options.baseUrl, { connections: 1 });
  const ask = async ({ path }: Question): Promise<readonly unknown[]> => {
    const answer = await pool.request({ method: 'GET', path, headers: { authorization: `Bearer ${options.apiKey}` } });
    const body: unknown = await answer.body.json();
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${JSON.stringify(body)}`);
    const { items, series } = body as { items?: unknown[]; series?: unknown[] };
    return items ?? series ?? [];
  };
  const asked: { question: Question; items: number; times: number[] }[] = [];
  for (const question of all) asked.push({ question, items: (await ask(question)).length, times: [] });
  for (let round = 1; round <= options.rounds; round++) {
    for (const { question, times } of asked) {
      const askedMs = performance.now();
      await ask(question);
      times.push(performance.now() - askedMs);
    }
    if (round % 50 === 0) options.onLine(`round ${round}`);
  }
  await pool.close();
  return asked.map(({ question: { name }, items, times }) => timesOf(name, items, times));
}

function timesOf(name: string, items: number, times: number[]): QuestionTimes {
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { name, items, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}
