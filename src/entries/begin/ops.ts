/** Loaded before all else by `torch-mtia/ops`: see call-sites.ts. */
import { entryPointBegins } from '../../memory/call-sites.ts';

entryPointBegins();
