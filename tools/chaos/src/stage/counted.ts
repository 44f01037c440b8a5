import { request } from 'undici';
import type { Stage } from './stage.js';

/**
 * What a counter of a service has come to since its processes started, in all of its replicas and for all of its labels.
 *
 * @throws when one serves no metrics
 */
export async function counted({ stack }: Stage, service: string, counter: string): Promise<number> {
  const process = new RegExp(`^${service}(-\\d+)?$`);
  const addresses = stack.devJson.processes.flatMap(({ name, metrics }) =>
    metrics !== undefined && process.test(name) ? [metrics] : [],
  );
  if (addresses.length === 0) throw new Error(`no replica of ${service} serves metrics`);
  const line = new RegExp(`^${counter}(?:\\{[^}]*\\})? (\\d+)`, 'gm');
  const counts = addresses.map(async (address) => {
    const { statusCode, body } = await request(address, { headersTimeout: 10_000, bodyTimeout: 10_000 });
    const text = await body.text();
    if (statusCode !== 200 || !text.includes('# TYPE '))
      throw new Error(`${address} answered ${statusCode}, no metrics`);
    return [...text.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
