import { cruise, type ICruiseOptions, type IForbiddenRuleType, type IResolveOptions } from 'dependency-cruiser';

/** One forbidden dependency. */
export interface Violation {
  readonly rule: string;
  /** The importing file. */
  readonly from: string;
  /** The imported one, or the whole round of a cycle. */
  readonly to: string;
}

/** What a look at all imports of a tree gave. */
export interface Cruise {
  readonly violations: readonly Violation[];
  /** The files whose imports were read; a file that is not among them was not checked at all. */
  readonly seen: ReadonlySet<string>;
}

/** Workspace packages resolve to their sources by this condition, as in tsc and Jest: no build is needed. */
const resolution: Partial<IResolveOptions> = {
  conditionNames: ['@switchboard/source', 'import', 'node', 'default'],
  exportsFields: ['exports'],
  extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
};

/**
 * Applies the rules to the packages below `root`.
 *
 * Type-only imports count: a contract between folders is broken by a type as well.
 */
export async function cruiseTree(root: string, rules: readonly IForbiddenRuleType[]): Promise<Cruise> {
  const options: ICruiseOptions = {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: [...rules] },
    tsPreCompilationDeps: true,
    // The tools that every package uses (Jest, fast-check) are development dependencies of the root.
    combinedDependencies: true,
    doNotFollow: { path: 'node_modules' },
    // Anchored: an installed package that lives in a `dist` of its own must stay in sight.
    exclude: { path: '^(apps|libs|tools)/[^/]+/(dist|coverage)/' },
  };
  const { output } = await cruise(['apps', 'libs', 'tools'], options, resolution);
  if (typeof output === 'string') throw new Error(`dependency-cruiser did not report: ${output}`);
  const violations = output.summary.violations.map(({ rule, from, to, cycle }) => ({
    rule: rule.name,
    from,
    to: cycle ? cycle.map(({ name }) => name).join(' -> ') : to,
  }));
  return { violations, seen: new Set(output.modules.map(({ source }) => source)) };
}
