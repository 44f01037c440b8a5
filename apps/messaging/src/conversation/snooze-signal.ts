import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/** Says that a conversation of this process was snoozed, perhaps for less than the pause of the loop that ends snoozes. */
@Injectable()
export class SnoozeSignal extends WakeSignal {}
