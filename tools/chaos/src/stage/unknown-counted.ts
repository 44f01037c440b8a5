import { request } from 'undici';
import type { Stage } from './stage.js';

const COUNTER = /^switchboard_messages_unknown_total(?:\{[^}]*\})? (\d+)/gm;

/**
 * How many outcomes have become unknown since messaging started, in all of its replicas, whatever settled them later.
 * The database holds only those that are still unknown.
 */
export async function unknownCounted({ stack }: Stage): Promise<number> {
  const addresses = stack.devJson.processes.flatMap(({ name, metrics }) =>
    metrics !== undefined && /^messaging(-\d+)?$/.test(name) ? [metrics] : [],
  );
  if (addresses.length === 0) throw new Error('no replica of messaging serves metrics');
  const counts = addresses.map(async (address) => {
    const { statusCode, body } = await request(address, { headersTimeout: 10_000, bodyTimeout: 10_000 });
    const text = await body.text();
    if (statusCode !== 200 || !text.includes('# TYPE '))
      throw new Error(`${address} answered ${statusCode}, no metrics`);
    return [...text.matchAll(COUNTER)].reduce((sum, [, count]) => sum + Number(count), 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
