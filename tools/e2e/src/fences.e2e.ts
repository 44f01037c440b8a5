import { afterAll, beforeAll } from '@jest/globals';
import { openStage, type Stage } from '@switchboard/chaos/stage';
import { describeErasureFence } from './describe-erasure-fence.js';
import { describeInboundOrder } from './describe-inbound-order.js';
import { describeOptOutFence } from './describe-opt-out-fence.js';
import { preparedData } from './start-own-stack.js';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ prepared: await preparedData(), replicas: { messaging: 2, contacts: 2 } });
});

afterAll(async () => stage?.close());

// First: it audits all that was sent since the stack was started.
describeOptOutFence(() => stage);
// Before NATS stands still: what it handed to a link that broke comes again 10 s later, behind what was written since.
describeInboundOrder(() => stage);
describeErasureFence(() => stage);
