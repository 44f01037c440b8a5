import { WakeSignal } from '@switchboard/timing';

/** Wakes the worker that erases, in the process that noted the contact. */
export class EraseSignal extends WakeSignal {}
