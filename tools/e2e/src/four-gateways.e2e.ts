import { afterAll, beforeAll } from '@jest/globals';
import { describeApiKeys } from './describe-api-keys.js';
import { describeLimits } from './describe-limits.js';
import { startUsable, type OwnStack } from './start-everything.js';

const GATEWAYS = 4;
let own: OwnStack;

beforeAll(async () => {
  own = await startUsable({ replicas: { gateway: GATEWAYS } });
});

afterAll(async () => own?.end());

describeLimits(GATEWAYS, () => own);
// Last: it spoils the audit log.
describeApiKeys(GATEWAYS, () => own);
