export { backoffMs, jittered, type Backoff, type Random } from './backoff.js';
export { onBeat, untilBeat, type OnBeat } from './beat.js';
export { BurstPace } from './burst-pace.js';
export { endsWithin, unlessAborted, withDeadline } from './deadline.js';
export { pause } from './pause.js';
export { RecentMap } from './recent-map.js';
export { SharedPause } from './shared-pause.js';
export { TenantTurns, type TurnLimits } from './tenant-turns.js';
export { WakeSignal } from './wake-signal.js';
