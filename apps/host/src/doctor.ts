/** What `turnpike doctor` checks of a host. */
export { missingFontPackages } from './fonts/installed-fonts.ts';
export { readSwap } from './memory/swap-areas.ts';
export { findCapsProblem } from './sandbox/control-groups/control-groups.ts';
export {
  controlGroupAdvice,
  findAccessProblem,
  findSandboxProblem,
  firstErrorLine,
  namespaceAdvice,
  runSandboxed,
  unprivileged,
} from './sandbox/diagnosis.ts';
export { findNetworkProblem } from './sandbox/network.ts';
