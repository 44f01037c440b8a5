/**
 * Part of a package's build, in its folder: makes the programs named, of `dist`, into bundles of all that they load, so that a start looks
 * for a handful of files in place of two thousand. Source: docs/adr/0056-bundles.md
 */
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';

const dist = join(process.cwd(), 'dist');
const programs = process.argv.slice(2);

/** What a module finds by its own place is found by that place from the bundle too. */
const places = {
  name: 'places',
  transform: {
    filter: { code: /import\.meta\.(url|dirname|filename)/ },
    handler(code, id) {
      const url = `new URL(${JSON.stringify(relative(dist, id))}, import.meta.url)`;
      const file = `process.getBuiltinModule('node:url').fileURLToPath(${url})`;
      return code
        .replaceAll('import.meta.url', `${url}.href`)
        .replaceAll('import.meta.filename', file)
        .replaceAll('import.meta.dirname', `process.getBuiltinModule('node:path').dirname(${file})`);
    },
  },
};

const bundle = await rolldown({
  input: Object.fromEntries(programs.map((name) => [name, join(dist, `${name}.js`)])),
  platform: 'node',
  plugins: [places],
  // Native.
  external: [/^@node-rs\//],
  // It takes calls for needless that do nothing but throw: `try { decodeURIComponent(text) }` would let everything pass.
  treeshake: false,
  // What a library would use if it were installed stays a `require` of its own.
  onLog(level, log, report) {
    if (log.code !== 'UNRESOLVED_IMPORT') report(level, log);
  },
});
await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name].chunk.js',
  // For the same reason: by default it drops what it takes for dead.
  minify: false,
  sourcemap: false,
});
