import { randomInt } from 'node:crypto';
import { readTestingConfig } from './testing.config.js';

/**
 * The seed of a test whose steps are drawn: that of `SWITCHBOARD_TEST_SEED`, otherwise a random one. Such a test names it when it
 * fails.
 */
export function testSeed(): number {
  return readTestingConfig().seed ?? randomInt(2 ** 31);
}
