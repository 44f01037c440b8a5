import { WakeSignal } from '@switchboard/timing';

/** Wakes the worker that erases. */
export class EraseSignal extends WakeSignal {}
