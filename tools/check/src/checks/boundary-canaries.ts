import type { IForbiddenRuleType } from 'dependency-cruiser';
import { boundaryRules } from '../boundaries/boundary-rules.js';
import { canaries, lawfulFiles } from '../boundaries/canaries.js';
import { withTree } from '../boundaries/canary-tree.js';
import { cruiseTree, type Violation } from '../boundaries/cruise-tree.js';
import type { Check } from '../check.js';

/**
 * Every rule of the boundaries really bites: each canary is reported by its rule, no lawful neighbour by any, and there
 * is no rule without a canary. Rules of this kind fall silent easily: a folder renamed, a resolver that finds nothing.
 */
export const boundaryCanaryCheck: Check = {
  name: 'boundary canaries',
  async run(sources) {
    const files: Record<string, string> = { ...lawfulFiles };
    for (const { path, text } of canaries) files[path] = text;
    const rules = boundaryRules(Object.keys(files));
    const { violations } = await withTree(sources, files, (root) => cruiseTree(root, rules));
    return judgeCanaries(rules, violations);
  },
};

/** The problems in what the rules found in the tree of canaries. */
export function judgeCanaries(
  rules: readonly IForbiddenRuleType[],
  violations: readonly Violation[],
): readonly string[] {
  const unguarded = rules.filter((rule) => !canaries.some((canary) => canary.rule === rule.name));
  const missed = canaries.filter(({ rule, path }) => !violations.some((one) => one.rule === rule && one.from === path));
  const wrong = violations.filter(({ from }) => from in lawfulFiles && !canaries.some(({ path }) => path === from));
  return [
    ...unguarded.map(({ name }) => `the rule ${name} has no canary`),
    ...missed.map(({ rule, path }) => `the rule ${rule} lets ${path} of its canary pass`),
    ...wrong.map(({ rule, from, to }) => `the rule ${rule} refuses the legal ${from}, which imports ${to}`),
  ];
}
