import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/** Wakes the worker of this process. */
@Injectable()
export class DeliverSignal extends WakeSignal {}
