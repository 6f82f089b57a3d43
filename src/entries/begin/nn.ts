/** Loaded before all else by `torch-mtia/nn`: see call-sites.ts. */
import { entryPointBegins } from '../../memory/call-sites.ts';

entryPointBegins();
