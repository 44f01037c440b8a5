import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/** Says that statuses were set aside by this process, perhaps for less than the pause of the loop that looks at them. */
@Injectable()
export class WaitingSignal extends WakeSignal {}
