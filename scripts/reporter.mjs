// A vitest reporter that counts, for the closing line of scripts/test.mjs. Errors outside of any test count as failures.
import { writeFileSync } from 'node:fs';

export default class CountingReporter {
  onTestRunEnd(modules, unhandled) {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed++;
        else if (state === 'failed') failedTests++;
        else counts.skipped++;
      }
      // A file that does not load has errors and no failed test.
      counts.failed += failedTests || (module.state() === 'failed' ? 1 : 0);
    }
    writeFileSync(process.env.TEST_COUNTS, JSON.stringify(counts));
  }
}
