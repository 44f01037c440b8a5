import { setTimeout as wait } from 'node:timers/promises';
import { recipients } from '../message-request.js';
import { startPacedLoad, type PacedLoadOptions } from './paced-load.js';

/** What the organization that is measured sends a second. */
export const OWN_PER_SECOND = 40;
/** From so many connections. */
export const OWN_CONNECTIONS = 16;
/** To these, in turn. */
export const RECIPIENTS = recipients(200);

/** Milliseconds of each send of an organization. @throws Error when anything is answered otherwise than by 200 */
export async function ownLatencies(options: PacedLoadOptions, durationMs: number): Promise<readonly number[]> {
  const load = startPacedLoad(options);
  await wait(durationMs);
  const { latenciesMs, statuses } = await load.stop();
  const others = Object.keys(statuses).filter((status) => status !== '200');
  if (others.length > 0) throw new Error(`the other organization was answered ${JSON.stringify(statuses)}`);
  return latenciesMs;
}
