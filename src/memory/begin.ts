/** Loaded before all else by the package's main entry point: see call-sites.ts. */
import { entryPointBegins } from './call-sites.ts';

entryPointBegins();
