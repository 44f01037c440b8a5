import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/** Wakes this replica's `QueueReplaysWorker` when a replay was stored here; the others find it by looking. */
@Injectable()
export class ReplaySignal extends WakeSignal {}
