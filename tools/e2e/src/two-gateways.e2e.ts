import { afterAll, beforeAll } from '@jest/globals';
import { openStage, type Stage } from '@switchboard/chaos/stage';
import { describeAppEvents } from './describe-app-events.js';
import { describeApp, describeAppRoles } from './describe-app.js';
import { describeIdempotency } from './describe-idempotency.js';
import { describeQuota } from './describe-quota.js';
import { preparedData } from './start-own-stack.js';

/** Two gateways and two replicas of messaging, for all that needs no more than these: a start is dearer than most of its tests. */
let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ prepared: await preparedData(), replicas: { gateway: 2, messaging: 2 } });
});

afterAll(async () => stage?.close());

describeAppRoles();
describeIdempotency(() => stage);
describeAppEvents(() => stage);
describeQuota(() => stage);
// Last: it signs in as everybody, and moves the failed attempts of all in time.
describeApp(() => stage);
