import { changeKnobs, DEFAULT_KNOBS, type Knobs } from './knobs.entity.js';

/** The knobs as they are now, in memory: a restart begins with the defaults. */
export class KnobsRepository {
  readonly #defaults: Knobs;
  #knobs: Knobs;

  /** @param patch what the defaults have otherwise here */
  constructor(patch: object = {}) {
    this.#defaults = changeKnobs(DEFAULT_KNOBS, patch);
    this.#knobs = this.#defaults;
  }

  /** The knobs as they are now. */
  get current(): Knobs {
    return this.#knobs;
  }

  /** Changes the knobs in `patch`. @throws ControlRefusal, and changes nothing then. */
  change(patch: unknown): Knobs {
    this.#knobs = changeKnobs(this.#knobs, patch);
    return this.#knobs;
  }

  /** Puts every knob back to its default. */
  reset(): Knobs {
    this.#knobs = this.#defaults;
    return this.#knobs;
  }
}
