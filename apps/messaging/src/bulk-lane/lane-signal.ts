import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@switchboard/timing';

/** Says that this process has committed something that a lane may begin, so that the loop over lanes looks at once. */
@Injectable()
export class LaneSignal extends WakeSignal {}

/** Says that this process has committed recipients whose contacts are not known. */
@Injectable()
export class UnknownContactSignal extends WakeSignal {}
