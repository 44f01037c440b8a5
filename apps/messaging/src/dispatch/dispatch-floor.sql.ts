import { floorAt, isAbove } from '@switchboard/postgres';

/** SQL: `floorAt` of attempts in a state. @param floor of the look before, in epoch milliseconds */
export const floorOfDispatches = (state: 'RETRY' | 'PACED', floor: string): string =>
  floorAt(`(SELECT d.due_at FROM dispatch d WHERE d.state = '${state}' AND ${isAbove(floor, 'd.due_at')}
     ORDER BY d.due_at LIMIT 1)`);
