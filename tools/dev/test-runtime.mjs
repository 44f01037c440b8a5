import Runtime from 'jest-runtime';
import { sharedScript } from './shared-scripts.mjs';

const isOfPackage = /[\\/]node_modules[\\/]/;
/** What the files of packages hold. They do not change during a run. */
const texts = new Map();
/** Where a module is that another asks for, as CommonJS and as ESM. */
const places = { cjs: new Map(), esm: new Map() };

/**
 * Jest's runtime, but a worker reads, compiles and finds the modules of packages once in place of once a test file. Each
 * file still runs every module anew in a context of its own: what files have in common is code, which holds no state.
 */
export default class SharingRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, cacheFS, coverageOptions, testPath, globalConfig) {
    super(config, environment, resolver, transformer, cacheFS, coverageOptions, testPath, globalConfig);
    shareTexts(this.fileCache);
    sharePlaces(this._resolution);
    // Coverage is counted by the positions in what Jest compiles.
    if (!coverageOptions.collectCoverage) shareScripts(this.executor, environment);
  }
}

function shareScripts(executor, environment) {
  const compile = executor.compile.bind(executor);
  executor.compile = (source, filename) => {
    const context = environment.getVmContext();
    if (context === null || !isOfPackage.test(filename)) return compile(source, filename);
    const script = sharedScript(filename, source, executor.injectedModuleParameters);
    return script === null ? compile(source, filename) : script.runInContext(context);
  };
}

function shareTexts(fileCache) {
  const read = fileCache.readFile.bind(fileCache);
  fileCache.readFile = (filename) => {
    if (!isOfPackage.test(filename)) return read(filename);
    const text = texts.get(filename) ?? read(filename);
    texts.set(filename, text);
    return text;
  };
}

/** The resolver keeps what it finds for the worker's life anyway; this saves the mapping of names before it. */
function sharePlaces(resolution) {
  resolution.cjsCache = places.cjs;
  resolution.esmCache = places.esm;
  resolution.clear = () => resolution.manualMockCache.clear();
}
