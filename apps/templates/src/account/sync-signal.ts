import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/** Wakes this process's synchronisation when an account became due. */
@Injectable()
export class SyncSignal extends WakeSignal {}
