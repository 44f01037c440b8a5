import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/** Says that something may have happened for which jobs hold themselves, or go on. */
@Injectable()
export class CauseSignal extends WakeSignal {}
