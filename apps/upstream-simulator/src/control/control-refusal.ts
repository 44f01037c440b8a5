/**
 * A request to the control surface that cannot be carried out: answered with 400 and the field's name.
 * Never used on the provider's side of the simulator, whose refusals have the provider's shape.
 */
export class ControlRefusal extends Error {
  /** @param field the offending field as a path, such as `callbackDelayMs.sent`. */
  constructor(
    readonly field: string,
    expected: string,
  ) {
    super(`\`${field}\` ${expected}`);
    this.name = 'ControlRefusal';
  }
}
