/**
 * A whole number, for shapes that are described: TypeScript knows numbers alone.
 *
 * @integer
 */
export type Int = number;
