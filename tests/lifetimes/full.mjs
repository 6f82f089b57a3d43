// What the tests of this folder do in short, at full length: prints the figures.
//
//     node tests/lifetimes/full.mjs loop [steps] [plain objects on the heap]
//     node tests/lifetimes/full.mjs schedules
//     node tests/lifetimes/full.mjs leaks [calls]
//     node tests/lifetimes/full.mjs peaks
//
// NODE_NEWER may name the executable of a newer Node.js.
import { fileURLToPath } from 'node:url';
import { bytesOf, HELD } from './arithmetic.mjs';
import { bundle, run } from './child.mjs';

const nodes = [process.execPath, process.env.NODE_NEWER].filter((node) => node);

async function loop(steps = '20000', objects = '0') {
  const program = await bundle('loop.testing.ts');
  const runs = [
    ['cpu', 'inline'],
    ['mtia', 'inline'],
    ['mtia', 'worker'],
  ];
  console.log(`${steps} steps, ${objects} plain objects on the heap`);
  for (const node of nodes) {
    for (const [device, executor] of runs) {
      const options = { node, env: { MTIA_EXECUTOR: executor } };
      const r = await run(program.file, [device, steps, objects], options);
      const share = ((100 * r.sweeping) / r.milliseconds).toFixed(1);
      const range = (list) => `${Math.min(...list)} to ${Math.max(...list)} MB`;
      const tail = (list) => list.slice(Math.floor(list.length / 4));
      console.log(
        `${device} ${device === 'cpu' ? '' : executor} ${node === process.execPath ? process.version : 'newer Node.js'}: ` +
          `${(r.held / 1e6).toFixed(2)} MB held a step, ${(r.milliseconds / steps).toFixed(2)} ms a step, ` +
          `${r.sweeps} sweeps, ${share} % of the time; backing store ${range(tail(r.store))}, ` +
          `resident ${range(tail(r.resident))}` +
          (r.allocated === null ? '' : `; allocated ${r.allocated}, peak ${r.peak} bytes`),
      );
    }
  }
  program.remove();
}

async function schedules() {
  const program = await bundle('schedules.testing.ts');
  let different = 0;
  for (const model of ['mlp', 'bags', 'transformer']) {
    let reference;
    for (const node of nodes) {
      for (const flags of [[], ['--no-opt'], ['--always-turbofan']]) {
        for (const schedule of ['0', '1', '7', 'launch1', 'launch7', 'young1', 'young7', 'auto']) {
          const { read, addresses, trace, sweeps, store } = await run(program.file, [model, schedule, 12], {
            node,
            flags,
            env: { MTIA_EXECUTOR: 'inline' },
          });
          const found = JSON.stringify({ read, addresses, trace });
          reference ??= found;
          const same = found === reference;
          if (!same) different++;
          const where = `${model} ${node === process.execPath ? process.version : 'newer'} ${flags.join(' ') || 'default tiers'}`;
          console.log(
            `${where}, ${schedule}: ${same ? 'same' : `DIFFERENT ${found}`} (${sweeps} sweeps, ${store} bytes of store)`,
          );
        }
      }
    }
    console.log(`${model}: ${reference}`);
    // So many steps that the log becomes final of its own accord, in the middle of a step.
    let long;
    for (const node of nodes) {
      const { read } = await run(program.file, [model, 'auto', 3500], { node, env: { MTIA_EXECUTOR: 'inline' } });
      long ??= JSON.stringify(read);
      const same = JSON.stringify(read) === long;
      if (!same) different++;
      console.log(`${model}, 3,500 steps: ${same ? 'same' : `DIFFERENT ${JSON.stringify(read)}`}`);
    }
  }
  program.remove();
  console.log(different === 0 ? 'All the same.' : `${different} differ.`);
  process.exitCode = different === 0 ? 0 : 1;
}

async function leaks(calls = '1000') {
  const program = await bundle('leaks.testing.ts');
  const cases = fileURLToPath(new URL('../fixtures/memory.json', import.meta.url));
  for (const device of ['cpu', 'mtia']) {
    const { ops, afterCollection, afterScope } = await run(program.file, [device, cases, calls]);
    console.log(`${device}: ${ops} ops, ${calls} calls each. Storages left after a collection:`, afterCollection);
    console.log('after torch.scope:', afterScope);
  }
  program.remove();
}

/** Each peak beside the arithmetic of the tensors that are held then: a table in Markdown. */
async function peaks() {
  const program = await bundle('styles.testing.ts');
  const styles = ['plain', 'dispose', 'using', 'scope'];
  const [plain, dispose, using, scope] = await Promise.all(styles.map((style) => run(program.file, [style])));
  console.log(
    '| | parameters, momentum, batch | held besides, at that operation | together | measured | using, scope |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const [model, stages] of Object.entries(HELD)) {
    for (const [stage, [operation, throughout, then]] of Object.entries(stages)) {
      const peak = (result) => result[model][stage][0];
      if (peak(plain) !== peak(dispose) || peak(using) !== peak(scope)) throw new Error(`${model} ${stage} differs`);
      const names = then.map((one) => `${one.name} ${bytesOf([one])}`).join(' + ');
      const sums = [bytesOf([...throughout, ...then]), peak(plain), peak(using)];
      console.log(`| ${[`${model} ${stage}, ${operation}`, bytesOf(throughout), names, ...sums].join(' | ')} |`);
    }
  }
  program.remove();
}

const [what, ...args] = process.argv.slice(2);
if (what === 'schedules') await schedules();
else if (what === 'loop') await loop(...args);
else if (what === 'leaks') await leaks(...args);
else if (what === 'peaks') await peaks();
else console.log('usage: node tests/lifetimes/full.mjs loop [steps] [objects] | schedules | leaks [calls] | peaks');
