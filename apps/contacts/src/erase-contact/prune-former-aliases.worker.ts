import type { FactoryProvider } from '@nestjs/common';
import { PruneWorker } from '@switchboard/platform';
import { pruneFormerAliases } from '../contact/former-alias.repository.js';

/** Callbacks are kept for 8 days, bulk sends from their end on: for a year and more one may wait and be under way. */
const UNDER_WAY_DAYS = 400;

/** Forgets what contacts gave up so long ago that nothing which holds it is kept. @param days for which an ended bulk send is kept */
export function formerAliasPruner(days: number): FactoryProvider<PruneWorker> {
  return PruneWorker.provide({
    rows: 'former-aliases',
    statement: pruneFormerAliases,
    values: () => [days + UNDER_WAY_DAYS],
    sliceMax: 1_000,
    idleMs: 600_000,
    needsAgreedClocks: true,
  });
}
