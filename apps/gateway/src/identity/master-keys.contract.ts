/** Token of the `MasterKeys` of `@switchboard/secrets`: they seal second factors and sign device cookies. */
export const MASTER_KEYS = Symbol('MasterKeys');
