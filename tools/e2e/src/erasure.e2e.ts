import { afterAll, beforeAll } from '@jest/globals';
import { describeErasureMoved } from './describe-erasure-moved.js';
import { describeErasure } from './describe-erasure.js';
import { startUsable, type OwnStack } from './start-everything.js';

let own: OwnStack;

beforeAll(async () => {
  own = await startUsable();
});

afterAll(async () => own?.end());

describeErasure(() => own);
describeErasureMoved(() => own);
