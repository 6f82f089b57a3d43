// Milliseconds from the import to the first result, measured inside the process: `node first-result.mjs cpu|mtia`.
const start = performance.now();
const { default: torch } = await import('torch-mtia');
torch.ones(3, { device: process.argv[2] }).add(1).sum().item();
console.log(performance.now() - start);
