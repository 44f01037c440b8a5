import { types } from 'node:util';

/** Whether an error is the system's own of that code. */
export function isSystemError(error: unknown, code: string): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === code;
}
