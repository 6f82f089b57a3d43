/**
 * The device under test. A test file that imports this runs on cpu, on mtia behind its worker and on mtia inline
 * (vitest.config.ts); run alone, without a project, it is cpu.
 */
export const device: 'cpu' | 'mtia' = process.env['TEST_DEVICE'] === 'mtia' ? 'mtia' : 'cpu';
