/** Loaded before all else by `torch-mtia/data`: see call-sites.ts. */
import { entryPointBegins } from '../../memory/call-sites.ts';

entryPointBegins();
