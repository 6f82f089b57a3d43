/**
 * A small HTTP server for the browser tests: the built bundle, the programs under test, and an empty page that maps
 * `torch-mtia` to the bundle. With isolation headers shared memory exists in the page, without them it does not.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const bundle = join(dirname(dirname(here)), 'dist', 'browser', 'torch-mtia.js');

const PAGE = `<!doctype html>
<meta charset="utf-8">
<title>torch-mtia</title>
<link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "torch-mtia": "/torch-mtia.js" } }</script>
`;

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

async function programs(): Promise<string> {
  const result = await build({
    entryPoints: [join(here, 'page.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    external: ['torch-mtia'],
  });
  return result.outputFiles[0].text;
}

export interface Site {
  url: string;
  close(): Promise<void>;
}

export async function serve(isolated: boolean): Promise<Site> {
  const files: Record<string, [type: string, body: string]> = {
    '/': ['text/html', PAGE],
    '/page.js': ['text/javascript', await programs()],
    '/torch-mtia.js': ['text/javascript', readFileSync(bundle, 'utf8')],
  };
  const server: Server = createServer((request, response) => {
    const file = files[(request.url ?? '/').split('?')[0]];
    const headers = { ...(isolated ? ISOLATION : {}), 'Cache-Control': 'no-store' };
    if (file) response.writeHead(200, { ...headers, 'Content-Type': `${file[0]}; charset=utf-8` }).end(file[1]);
    else response.writeHead(404, headers).end();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
