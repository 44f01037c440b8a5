import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/** Wakes the turns of receivers that answer. */
@Injectable()
export class DeliverSignal extends WakeSignal {}
