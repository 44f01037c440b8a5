import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/** Wakes this replica's `ReleaseQuotaWorker` when quota is to be given back; the others find it by looking. */
@Injectable()
export class ReleaseSignal extends WakeSignal {}
