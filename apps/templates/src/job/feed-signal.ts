import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/** Wakes this replica's feeder when a job became due here; the others find it by looking. */
@Injectable()
export class FeedSignal extends WakeSignal {}
